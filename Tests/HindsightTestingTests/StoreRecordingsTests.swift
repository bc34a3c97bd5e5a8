import Foundation
import HindsightRecording
import HindsightStore
import HindsightSupport
import Testing

@testable import HindsightTesting

private struct CartState: Codable, Sendable { var total = 0 }
private enum CartAction: Codable, Sendable { case add(price: Int) }

/// Cannot be encoded after an addition.
private struct FragileCart: Codable, Sendable {
    var total = 0

    enum CodingKeys: CodingKey { case total }

    func encode(to encoder: any Encoder) throws {
        guard total == 0 else {
            let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "it is broken")
            throw EncodingError.invalidValue(total, context)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(total, forKey: .total)
    }
}

private let cartReducer = Reducer<CartState, CartAction>("cart") { state, action in
    if case .add(let price) = action { state.total += price }
}

/// Recordings of a test's stores, which are kept if the test fails.
@Suite struct StoreRecordingsTests {
    private struct Failure: Error {}

    /// Runs `body` as a test with the trait, and returns its attachments.
    private func attachments(_ body: @escaping @Sendable () throws -> Void) async throws -> [String: [UInt8]] {
        let test = try #require(Test.current)
        let found = Locked([String: [UInt8]]())
        try await TestAttachment.$receiver.withValue({ name, bytes in found.withLock { $0[name] = bytes } }) {
            do {
                try await StoreRecordingTrait().provideScope(for: test, testCase: Test.Case.current) { try body() }
            } catch is Failure {
                // The test ends by an error.
            }
        }
        return found.withLock { $0 }
    }

    private static func addTwice(_ middleware: Middleware<CartState, CartAction>) -> Int {
        let store = Store(initial: CartState(), reducer: cartReducer, middleware: [middleware])
        store.dispatch(.add(price: 5))
        store.dispatch(.add(price: 7))
        return store.state.total
    }

    @Test(.recordsStores) func `two items cost their sum`() {
        let store = Store(initial: CartState(), reducer: cartReducer, middleware: [.recordedInTest()])
        store.dispatch(.add(price: 5))
        #expect(store.state.total == 5)
    }

    @Test func `An issue keeps the recording of each store, closed and complete`() async throws {
        let found = try await attachments {
            withKnownIssue {
                #expect(Self.addTwice(.recordedInTest()) == 13)
                #expect(Self.addTwice(.recordedInTest(as: "a/b")) == 12)
            }
        }
        #expect(Set(found.keys) == ["store.hindsight", "a_b-2.hindsight"])
        for (name, bytes) in found {
            let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString)-\(name)")
            try Data(bytes).write(to: url)
            defer { TestAttachment.remove(url) }
            let recording = try Recording(at: url)
            #expect(recording.actionCount == 2 && recording.closed != nil)
            #expect(try recording.state(at: recording.end)["total"] == 12)
        }
    }

    @Test func `Two stores have two files, also if the name of one looks like that of the next`() async throws {
        let found = try await attachments {
            for name in ["store-2", "store", "Store"] { _ = Self.addTwice(.recordedInTest(as: name)) }
            throw Failure()
        }
        #expect(Set(found.keys) == ["store-2.hindsight", "store-3.hindsight", "Store-4.hindsight"])
    }

    @Test func `The recording of a store hides what is redacted`() async throws {
        let found = try await attachments {
            _ = Self.addTwice(.recordedInTest(redaction: Redaction(states: ["/total"], actions: ["/add/price"])))
            throw Failure()
        }
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).hindsight")
        try Data(try #require(found["store.hindsight"])).write(to: url)
        defer { TestAttachment.remove(url) }
        let recording = try Recording(at: url)
        #expect(try recording.state(at: recording.end)["total"] == 0)
        #expect(try recording.action(2).payload == ["add": ["price": 0]])
    }

    @Test func `Only its owner may read an attachment`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        TestAttachment.$receiver.withValue({ _, bytes in _ = fopen(file.path, "wb").map { fclose($0) } }) {
            TestAttachment.record([1], named: "a", #_sourceLocation)
        }
        defer { TestAttachment.remove(file) }
        let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
    }

    @Test func `A thrown error keeps the recording`() async throws {
        let found = try await attachments {
            _ = Self.addTwice(.recordedInTest())
            throw Failure()
        }
        #expect(Array(found.keys) == ["store.hindsight"])
    }

    @Test func `A recording that is too large to be attached stays, and a text says where`() async throws {
        let found = try await TestAttachment.$maxBytes.withValue(100) {
            try await attachments {
                _ = Self.addTwice(.recordedInTest())
                throw Failure()
            }
        }
        #expect(Array(found.keys) == ["store.hindsight.txt"])
        let text = String(decoding: try #require(found["store.hindsight.txt"]), as: UTF8.self)
        #expect(text.hasPrefix("store.hindsight is not attached: it has "), "\(text)")
        #expect(text.contains(" bytes, and an attachment has at most 100. It is here: /"), "\(text)")
        let path = try #require(text.split(separator: ": ").last).trimmingCharacters(in: .newlines)
        defer { TestAttachment.remove(URL(filePath: path).deletingLastPathComponent()) }
        #expect(try Recording(at: URL(filePath: path)).actionCount == 2)
    }

    @Test func `A recording whose recorder had to stop is kept, too`() async throws {
        let found = try await attachments {
            let reducer = Reducer<FragileCart, CartAction>("fragile") { state, _ in state.total += 1 }
            let store = Store(initial: FragileCart(), reducer: reducer, middleware: [.recordedInTest()])
            store.dispatch(.add(price: 5))
            throw Failure()
        }
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).hindsight")
        try Data(try #require(found["store.hindsight"])).write(to: url)
        defer { TestAttachment.remove(url) }
        let recording = try Recording(at: url)
        #expect(recording.closed == nil && recording.reducers == ["fragile"])
    }

    @Test func `Without an issue nothing is kept, and no file is left`() async throws {
        let files = Locked([URL]())
        let found = try await attachments {
            let middleware = Middleware<CartState, CartAction>.recordedInTest()
            #expect(Self.addTwice(middleware) == 12)
            let url = try #require(StoreRecordings.current).nextFile(named: "other")
            files.withLock { $0.append(url.deletingLastPathComponent()) }
        }
        #expect(found.isEmpty)
        let folder = try #require(files.withLock { $0.first })
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `Without the trait, an issue says how to record`() {
        withKnownIssue {
            #expect(Self.addTwice(.recordedInTest()) == 12)
        } matching: { issue in
            issue.comments.map(\.rawValue).joined().contains("Add the trait .recordsStores")
        }
    }
}
