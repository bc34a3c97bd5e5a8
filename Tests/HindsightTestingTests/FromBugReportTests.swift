import Foundation
import HindsightRecorder
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightTesting

private struct CartState: Codable, Sendable {
    var items: [String] = []
    var title = "empty"
}

private enum CartAction: Codable, Sendable {
    case add(String)
    case remove(at: Int)
}

private let naming = Reducer<CartState, CartAction>("title") { state, _ in
    state.title = state.items.isEmpty ? "empty" : "\(state.items.count) items"
}

/// The app, with one of its versions of the reducer `items`.
private func app(_ remove: @escaping @Sendable (inout CartState, Int) -> Void) -> ReplayableApp {
    let items = Reducer<CartState, CartAction>("items") { state, action in
        switch action {
        case .add(let item): state.items.append(item)
        case .remove(let index): remove(&state, index)
        }
    }
    return ReplayableApp("cart", initial: CartState(), reducer: .combine(items, naming))
}

private let brokenApp = app { state, index in _ = state.items.remove(at: index) }

private let cartReducer = Reducer<CartState, CartAction>("items") { state, action in
    switch action {
    case .add(let item): state.items.append(item)
    case .remove(let index):
        guard state.items.indices.contains(index) else { return }
        state.items.remove(at: index)
    }
}

private let cartApp = ReplayableApp("cart", initial: CartState(), reducer: .combine(cartReducer, naming))

/// The page "From a bug report to a regression test", step by step.
@Suite struct FromBugReportTests {
    private static let page = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .appending(path: "../../Sources/HindsightTesting/HindsightTesting.docc/FromBugReport.md").standardized

    /// The blocks of the page in a language, each as its lines.
    private static func blocks(_ language: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                if let block { blocks.append(block) }
                block = block == nil && line == "```\(language)" ? [] : nil
                continue
            }
            block?.append(line)
        }
        return blocks
    }

    private static func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Makes `crash.hindsight`, with the files beside it, as a crash in the third action leaves them.
    private static func crash(in folder: URL) throws {
        let (live, dead) = (folder.appending(path: "live.hindsight"), folder.appending(path: "crash.hindsight"))
        let recorded = app { state, index in
            guard state.items.isEmpty else { return _ = state.items.remove(at: index) }
            for suffix in ["", "-wal", "-shm", "-ahead"] {
                try? FileManager.default.copyItem(atPath: live.path + suffix, toPath: dead.path + suffix)
            }
        }
        let session = try recorded.record(to: live)
        for action in [#"{"add":{"_0":"milk"}}"#, #"{"remove":{"at":0}}"#, #"{"remove":{"at":0}}"#] {
            try session.flush()
            try session.dispatch(Node(json: action), origin: Origin(file: #fileID, line: #line))
        }
        try session.close()
        try FileManager.default.removeItem(at: live)
    }

    /// The built tool, beside the tests.
    private static let tool: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let tests = bundle ?? URL(filePath: CommandLine.arguments[0]).standardizedFileURL
        return tests.deletingLastPathComponent().appending(path: "hindsight")
    }()

    /// Runs a command line in a shell; `hindsight` is the built tool.
    private static func shell(_ line: String, in folder: URL) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "export PATH='\(tool.deletingLastPathComponent().path)':\"$PATH\"; \(line)"]
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    /// Runs the commands of a block, and expects the lines that the page shows.
    private static func run(_ block: [String], in folder: URL) throws {
        var output = ""
        for line in block {
            if line.hasPrefix("$ ") {
                let command = String(line.dropFirst(2))
                let result = try shell(command, in: folder)
                // `diff` exits with 1 if there is a difference.
                #expect(result.code == 0 || command.contains(" diff ") && result.code == 1, "\(command): \(result)")
                output = squeezed(result.output)
            } else if line != "…" {
                #expect(output.contains(squeezed(line)), "\(line) is not in: \(output)")
            }
        }
    }

    /// The texts of the issues of replaying a recording.
    private static func issues(_ url: URL, _ app: ReplayableApp, _ mode: RecordingMode) -> String {
        squeezed(HindsightTestingTests.issues(of: url, by: app, mode).joined(separator: "\n"))
    }

    /// Expects the parts of a block between the ellipses, in their order.
    private static func expect(_ block: [String], in text: String) {
        var rest = text[...]
        for part in squeezed(block.joined(separator: " ")).split(separator: "…") {
            let found = rest.range(of: part.trimmingCharacters(in: .whitespaces))
            #expect(found != nil, "\(part) is not in: \(text)")
            if let found { rest = rest[found.upperBound...] }
        }
    }

    #if os(Linux)
        @Test func `The steps of the page lead from the report to a test that guards the fix`() throws {
            let (commands, texts) = (try Self.blocks("console"), try Self.blocks("text"))
            try #require(commands.count == 3 && texts.count == 2)
            let scratch = Scratch()
            let folder = scratch.directory
            try Self.crash(in: folder)
            for block in commands.prefix(2) { try Self.run(block, in: folder) }
            let fixture = folder.appending(path: "Tests/CartTests/Recordings/remove-twice.hindsight")
            Self.expect(texts[0], in: Self.issues(fixture, brokenApp, .never))
            Self.expect(texts[1], in: Self.issues(fixture, cartApp, .never))
            _ = Self.issues(fixture, cartApp, .failed)
            #expect(Self.issues(fixture, cartApp, .never).isEmpty)
            try Self.run(commands[2], in: folder)
            // The test guards the fix, and the state after the third action.
            #expect(Self.issues(fixture, brokenApp, .never).contains("Index out of range"))
            let emptying = app { state, _ in state.items = ["bread"] }
            #expect(Self.issues(fixture, emptying, .never).contains("/items"))
        }
    #endif

    @Test func `This file compiles every line of the page's code`() throws {
        let source = Self.squeezed(try String(contentsOfFile: #filePath, encoding: .utf8))
        for line in try Self.blocks("swift").joined() {
            #expect(source.contains(Self.squeezed(line)), "not compiled: \(line)")
        }
    }

    // MARK: The page's code

    /// The folder `Recordings` of the page.
    private static func Recordings() -> HindsightTesting.Recordings {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let session = try cartApp.record(to: folder.appending(path: "add.hindsight"))
            try session.dispatch(Node(json: #"{"add":{"_0":"milk"}}"#), origin: Origin(file: #fileID, line: #line))
            try session.close()
        } catch {
            // The only case then says that there is no recording.
            print(error)
        }
        return HindsightTesting.Recordings(in: folder)
    }

    @Test(arguments: Recordings()) func `recorded sessions replay as they were`(_ recording: RecordedFixture) {
        expectReplay(of: recording, by: cartApp)
        TestAttachment.remove(recording.url.deletingLastPathComponent())
    }

    @Test func `removing from an empty cart changes nothing`() {
        given(CartState(), cartReducer).when(.remove(at: 0)).then()
    }
}
