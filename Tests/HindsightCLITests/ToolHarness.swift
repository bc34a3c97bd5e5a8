import Foundation
import HindsightRecorder
import HindsightReplay
import HindsightStore
import HindsightSupport
import Samples
import TestSupport
import Testing

@testable import HindsightCLI

typealias Scratch = TestSupport.Scratch
typealias Fixtures = TestSupport.Fixtures

/// Runs a tool whose input and output are in memory.
final class ToolHarness {
    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []
    private let apps: [ReplayableApp]
    /// What is left of the standard input.
    private var input: [UInt8]

    init(apps: [ReplayableApp] = SampleApps.all, input: String = "") {
        self.apps = apps
        self.input = Array(input.utf8)
    }

    /// Runs a command whose arguments contain no spaces.
    func run(_ line: String, terminal: Terminal = Terminal(), closedOutput: Bool = false) -> ExitCode {
        run(line.split(separator: " ").map(String.init), terminal: terminal, closedOutput: closedOutput)
    }

    func run(_ words: [String], terminal: Terminal = Terminal(), closedOutput: Bool = false) -> ExitCode {
        tool(terminal: terminal, closedOutput: closedOutput).run(words)
    }

    /// Runs a command, and expects its exit code.
    func running(
        _ words: [String],
        _ code: ExitCode = .fine,
        terminal: Terminal = Terminal(),
        closedOutput: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ToolHarness {
        let found = run(words, terminal: terminal, closedOutput: closedOutput)
        #expect(found == code, "\(words): \(text)\(errorText)", sourceLocation: sourceLocation)
        return self
    }

    /// The tool itself.
    func tool(terminal: Terminal = Terminal(), closedOutput: Bool = false) -> Tool {
        let console = Console(
            output: Output { bytes in
                if closedOutput { return .failure(SystemError(number: EPIPE)) }
                self.output += bytes
                return .success(bytes.count)
            },
            errors: Output(capacity: 1) { bytes in
                self.errors += bytes
                return .success(bytes.count)
            },
            terminal: terminal
        )
        return Tool(name: "tool", apps: apps, console: console) { bytes in
            let count = min(bytes.count, self.input.count)
            bytes.copyBytes(from: self.input.prefix(count))
            self.input.removeFirst(count)
            return .success(count)
        }
    }

    var text: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: errors, as: UTF8.self) }
}

/// A live recording of a state that counts.
struct LiveCounter {
    struct Count: Codable, Sendable {
        var value = 0
    }

    enum Action: Codable, Sendable {
        case add(Int)
    }

    let recorder: Recorder<Count, Action>
    let store: Store<Count, Action>

    init(at file: URL) throws {
        recorder = try Recorder(to: file, app: AppInfo(name: "count", version: "1"))
        let reducer = Reducer<Count, Action>("add") { state, action in
            if case .add(let amount) = action { state.value += amount }
        }
        store = Store(initial: Count(), reducer: reducer, middleware: [recorder.middleware])
    }

    /// Counts to a number of actions more.
    func count(_ actions: Int) throws {
        for _ in 0..<actions { store.dispatch(.add(1)) }
        try recorder.flush()
    }
}
