import HindsightDebugger
import HindsightFormat
import HindsightTree

extension DebugAdapter {
    /// The number of the main thread. It stands for the app where there is no action, or no thread was recorded.
    private static let appThread = DispatchingThread.main
    /// The number for an action whose thread is not known, although those of others are. Numbers of recorded threads
    /// are lower, as the protocol allows them.
    private static let unknownThread = 1 << 30
    private static let maxThreads = 1_000

    /// `threads`: those that had dispatched an action by the position.
    func threads() throws -> Node {
        let threads = try readThreads()
        let present = presentThread
        let seq = debugger?.position.seq ?? 0
        var listed = threads.prefix(Self.maxThreads)
            .filter { $0.first <= seq && $0.thread.number < Self.unknownThread }
            .map { (number: $0.thread.number, name: $0.thread.shown) }
        if !listed.contains(where: { $0.number == present }) {
            let thread = seq > 0 ? threads.first { $0.thread.number == present }?.thread : nil
            let name = present == Self.unknownThread ? "an unknown thread" : thread?.shown ?? appName
            listed.insert((present, name), at: 0)
        }
        var branch = ""
        if let debugger, debugger.branch != 0 { branch = ", \(brief(debugger.branches[debugger.branch].name))" }
        return [
            "threads": .array(listed.map { ["id": .int($0.number), "name": .string($0.name + branch)] })
        ]
    }

    private var appName: String { debugger.map { brief($0.recording.app.name) } ?? "no recording" }

    /// The number of the thread that dispatched the action at the position.
    var presentThread: Int {
        guard let debugger, debugger.position.seq > debugger.first.seq else { return Self.appThread }
        do {
            if let thread = try debugger.recording.thread(of: debugger.position.seq) {
                return min(thread.number, Self.unknownThread)
            }
            return try readThreads().isEmpty ? Self.appThread : Self.unknownThread
        } catch {
            // The request for the stack or the threads says what is damaged.
            return Self.appThread
        }
    }

    private func readThreads() throws -> [(thread: DispatchingThread, first: Int)] {
        guard let debugger else { return [] }
        return try recordedThreads.value(of: debugger) { try $0.dispatchingThreads() }
    }
}
