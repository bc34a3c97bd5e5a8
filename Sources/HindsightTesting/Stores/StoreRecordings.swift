import Foundation
import HindsightRecorder
import HindsightStore
import HindsightSupport
import Testing

extension Trait where Self == StoreRecordingTrait {
    /// Keeps recordings of a test's stores as attachments if an issue is recorded, or an error thrown.
    ///
    /// The stores to record have the middleware `recordedInTest(as:)`:
    ///
    /// ```swift
    /// @Test(.recordsStores) func `two items cost their sum`() {
    ///     let store = Store(initial: CartState(), reducer: cartReducer, middleware: [.recordedInTest()])
    ///     store.dispatch(.add(price: 5))
    ///     #expect(store.state.total == 5)
    /// }
    /// ```
    ///
    /// `swift test --attachments-path DIR` keeps attachments. A known issue counts as an issue. The recordings are
    /// temporary files, which are removed at the end of the test. One of more than 256 MB is not attached: it stays, and
    /// a text says where.
    public static var recordsStores: Self { StoreRecordingTrait() }
}

/// Keeps recordings of a test's stores if the test fails. `Trait.recordsStores` makes it.
public struct StoreRecordingTrait: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let recordings = StoreRecordings()
        let watching: IssueHandlingTrait = .compactMapIssues { issue in
            #if compiler(>=6.3)
                if issue.severity == .error { recordings.noteIssue() }
            #else
                recordings.noteIssue()
            #endif
            return issue
        }
        defer { recordings.finish(test.sourceLocation) }
        do {
            try await StoreRecordings.$current.withValue(recordings) {
                try await watching.provideScope(for: test, testCase: testCase, performing: function)
            }
        } catch {
            recordings.noteIssue()
            throw error
        }
    }
}

extension Middleware where StateValue: Codable & Sendable, ActionValue: Codable & Sendable {
    /// Records the store that has this middleware, for a test with the trait `recordsStores`.
    ///
    /// Without the trait, the store is not recorded, and an issue says so.
    ///
    /// - Parameters:
    ///   - name: The name of the attachment, and of the app in the recording.
    ///   - redaction: The places whose values the recording does not contain.
    ///   - sourceLocation: Where an issue is shown; the caller's line by default.
    public static func recordedInTest(
        as name: String = "store",
        redaction: Redaction = Redaction(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Middleware {
        guard let recordings = StoreRecordings.current else {
            Issue.record(
                "The store is not recorded. Add the trait .recordsStores to the test.",
                sourceLocation: sourceLocation
            )
            return .empty
        }
        do {
            let url = try recordings.nextFile(named: name)
            let recorder = try Recorder<StateValue, ActionValue>(
                to: url,
                app: AppInfo(name: name, version: "test"),
                options: RecorderOptions(redaction: redaction)
            )
            recordings.add(url) { try recorder.close() }
            return recorder.middleware
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
            return .empty
        }
    }
}

/// The recordings of the stores of one test.
final class StoreRecordings: Sendable {
    @TaskLocal static var current: StoreRecordings?

    private struct Content {
        /// The names of the files, in lower case, since file systems may ignore it.
        var names: Set<String> = []
        var hasIssue = false
        var files: [(url: URL, close: @Sendable () throws -> Void)] = []
    }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)")
    private let content = Locked(Content())

    func noteIssue() { content.withLock { $0.hasIssue = true } }

    /// The file of the next store, in a temporary folder.
    ///
    /// - Throws: Foundation's error if the folder cannot be created.
    func nextFile(named name: String) throws -> URL {
        let plain = String(name.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" })
        let file = content.withLock { content in
            var number = content.names.count + 1
            var file = number == 1 ? plain : "\(plain)-\(number)"
            while !content.names.insert(file.lowercased()).inserted {
                number += 1
                file = "\(plain)-\(number)"
            }
            return file
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: "\(file).hindsight")
    }

    func add(_ url: URL, close: @escaping @Sendable () throws -> Void) {
        content.withLock { $0.files.append((url, close)) }
    }

    /// Closes the recordings, attaches them if there was an issue, and removes them. One that is too large to be attached
    /// stays, and a text is attached in its place.
    func finish(_ sourceLocation: SourceLocation) {
        let content = content.withLock { $0 }
        var kept: [URL] = []
        for file in content.files {
            do {
                try file.close()
            } catch {
                print("the recording \(file.url.path) is incomplete: \(error)")
            }
            guard content.hasIssue else { continue }
            do {
                if let reason = try TestAttachment.record(contentsOf: file.url, sourceLocation) {
                    kept.append(file.url)
                    let text = "\(reason) It is here: \(file.url.path)\n"
                    TestAttachment.record(Array(text.utf8), named: "\(file.url.lastPathComponent).txt", sourceLocation)
                }
                try PageAttachment.record(file.url, around: nil, nil, sourceLocation)
            } catch {
                print("could not keep the recording \(file.url.path): \(error)")
            }
        }
        if kept.isEmpty {
            if !content.names.isEmpty { TestAttachment.remove(folder) }
        } else {
            for file in content.files where !kept.contains(file.url) { TestAttachment.remove(file.url) }
        }
    }
}
