import Foundation
import HindsightReplay
import HindsightTree
import Testing

@testable import HindsightCLI

/// The messages of the process that runs reducers, read without such a process.
@Suite struct ReplayMessageTests {
    // MARK: Progress

    /// A pipe, and what the replaying process and its parent share besides.
    private func connect() throws -> (writer: ReplyWriter, reader: Int32, shared: SharedPoint) {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let file = try CapturedFile()
        let shared = try #require(SharedPoint(descriptor: file.descriptor))
        let other = try #require(SharedPoint(descriptor: file.descriptor))
        return (ReplyWriter(descriptor: ends[1], shared: other), ends[0], shared)
    }

    private func received(from reader: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = read(reader, &bytes, bytes.count)
        return Array(bytes.prefix(count))
    }

    @Test func `a crash while an action runs again names no reducer`() {
        let point = ReplayPoint(seq: 7, reducer: 0, phase: .retrying)
        #expect(CrashReport.place(of: point, ["items", "counts"]) == "in action 7")
    }

    @Test(arguments: [
        (ReplayPoint.Phase.decoding, 0, "in action 12,345, before its first reducer"),
        (.reducing, 2, "in action 12,345, reducer 2 of 2 (counts)"), (.retrying, 0, "in action 12,345"),
        (.encoding, 0, "before action 12,345"), (.encoding, 1, "in action 12,345, after reducer 1 of 2 (items)"),
    ])
    func `the place of a crash has its action's number in groups`(
        phase: ReplayPoint.Phase,
        reducer: Int,
        text: String
    ) {
        let point = ReplayPoint(seq: 12_345, reducer: reducer, phase: phase)
        #expect(CrashReport.place(of: point, ["items", "counts"]) == text)
    }

    @Test(arguments: [1, 3, 16, 17, 1000]) func `progress reports can be read in pieces of any size`(size: Int) throws {
        let (writer, reader, shared) = try connect()
        let point = ReplayPoint(seq: 1 << 39, reducer: 700, phase: .encoding)
        writer.beginFile("ä b.hindsight")
        writer.report(ReplayPoint(seq: 7, reducer: 0, phase: .decoding))
        writer.report(point)
        writer.end(.difference)
        let bytes = received(from: reader)
        var progress = Replies()
        var news = 0
        for start in stride(from: 0, to: bytes.count, by: size) {
            progress.take(bytes[start..<min(bytes.count, start + size)])
            if progress.reach(shared.point) { news += 1 }
        }
        #expect(progress.file == "ä b.hindsight")
        #expect(progress.point == point)
        #expect(progress.verdict == .difference)
        #expect(news == 1)
    }

    @Test func `each action and each file is news once`() throws {
        let (writer, reader, shared) = try connect()
        var progress = Replies()
        func isNews() -> Bool {
            progress.take(received(from: reader))
            return progress.reach(shared.point)
        }
        writer.beginFile("a.hindsight")
        #expect(isNews())
        for (seq, reducer, expected) in [(1, 0, true), (1, 1, false), (1, 2, false), (2, 0, true)] {
            writer.report(ReplayPoint(seq: seq, reducer: reducer, phase: .reducing))
            #expect(progress.reach(shared.point) == expected)
            #expect(progress.point == ReplayPoint(seq: seq, reducer: reducer, phase: .reducing))
        }
        writer.beginFile("b.hindsight")
        #expect(isNews() && progress.point == nil)
    }

    @Test func `nothing is being replayed between two files`() throws {
        let (writer, reader, shared) = try connect()
        writer.beginFile("a.hindsight")
        writer.report(ReplayPoint(seq: 7, reducer: 0, phase: .decoding))
        writer.endFile()
        var progress = Replies()
        progress.take(received(from: reader))
        let isNews = progress.reach(shared.point)
        #expect(!isNews, "the file ends as it began")
        #expect(progress.file == nil && progress.point == nil && progress.verdict == nil)
    }

    @Test func `answers and messages are read in order, each once`() throws {
        let (writer, reader, _) = try connect()
        let texts = ["two"]
        writer.beginFile("a.hindsight")
        writer.answer(.array([.int(1), .string("ä\n")]))
        try writer.answer(texts)
        writer.message(["no such file", "Look elsewhere."])
        writer.endFile(.badFile)
        var replies = Replies()
        // What code of the app writes there is no reply.
        replies.take(Array("\n:\n{\n{:}\n".utf8))
        replies.take(received(from: reader))
        let answers = try replies.takeAnswers().map { try Node(jsonBytes: $0) }
        #expect(answers == [.array([.int(1), .string("ä\n")]), .array([.string("two")])])
        #expect(replies.takeMessages() == ["no such file", "Look elsewhere."])
        #expect(replies.takeAnswers().isEmpty && replies.takeMessages().isEmpty)
        #expect(replies.worst == .badFile && replies.file == nil && replies.verdict == nil)
    }

    // MARK: What is printed

    /// Passes a process's output to a relay, and returns what is shown at once, and the trap's message.
    private func relay(_ text: String, crashed: Bool) -> (shown: [String], message: String?, relay: ErrorRelay) {
        var relay = ErrorRelay()
        var shown: [String] = []
        relay.take(Array(text.utf8)) { shown.append($0) }
        let message = relay.finish(crashed: crashed) { shown.append($0) }
        return (shown, message, relay)
    }

    @Test func `a trap's message is separated from the reducers' output`() {
        let plain = relay("one\n\ntwo\u{1B}[m", crashed: false)
        #expect(plain.shown == ["one", "", #"two\u001b[m"#] && plain.message == nil)
        let trap = relay("one\nApp/A.swift:3: Fatal error: gone\nmore\n", crashed: true)
        #expect(trap.shown == ["one"] && trap.message == #"App/A.swift:3: Fatal error: gone\nmore"#)
        let caught = relay("Fatal error: only printed\nmore\n", crashed: false)
        #expect(caught.shown == ["Fatal error: only printed", "more"] && caught.message == nil)
        let traced = relay(
            "App/A.swift:3: Fatal error: gone\nswift-runtime: failed to suspend thread 1\n\n*** Signal 4: Backtracing from 0x1... done ***\n\n\(Self.report())\n",
            crashed: true
        )
        #expect(traced.shown.isEmpty && traced.message == "App/A.swift:3: Fatal error: gone")
        #expect(traced.relay.tracedSignal == 4 && traced.relay.backtrace?.frames.count == 2)
        let silent = relay("\n*** Signal 11: Backtracing from 0x1... done ***\n\n", crashed: true)
        #expect(silent.shown.isEmpty && silent.message == nil && silent.relay.backtrace == nil)
    }

    // MARK: Frames

    /// A report in the backtracer's format.
    private static func report(
        _ calls: [(symbol: String, place: String)] = [
            ("$ss17_assertionFailure", ""), ("$s4Shop4cart", "/app/Cart.swift:12"), ("$s4Shop3sum", "/app/Sum.swift:3"),
            ("$s14HindsightStore7ReducerV", "/h/Reducer.swift:9"),
            ("$s15HindsightReplay12TypedMachineC", "/h/M.swift:60"),
            ("$s4Shop4main", "/app/main.swift:1"),
        ]
    ) -> String {
        let frames = calls.map { call in
            let parts = call.place.split(separator: ":")
            let place =
                parts.count < 2
                ? "" : #", "sourceLocation": {"file": "\#(parts[0])", "line": \#(parts[1]), "column": 1}"#
            if call.symbol == "truncated" { return #"{"kind": "truncated"}"# }
            return #"{"kind": "returnAddress", "address": "0x1", "symbol": "\#(call.symbol)", "#
                + #""description": "\#(call.symbol.dropFirst(3)) + 12", "image": "shop"\#(place)}"#
        }
        return ##"{"threads": [{"crashed": true, "frames": [\##(frames.joined(separator: ", "))]}]}"##
    }

    @Test func `the app's calls come before Hindsight's, without the library's`() throws {
        let backtrace = try #require(Backtrace(json: Self.report()))
        #expect(backtrace.frames.map(\.function) == ["Shop4cart", "Shop3sum"])
        #expect(
            backtrace.frames.map(\.text) == ["at Shop4cart, /app/Cart.swift:12", "at Shop3sum, /app/Sum.swift:3"]
        )
    }

    @Test func `calls without lines are shown if none has one`() throws {
        let backtrace = try #require(
            Backtrace(json: Self.report([("$ss5crash", ""), ("$s4Shop4cart", ""), ("$s15HindsightReplay1", "")]))
        )
        #expect(backtrace.frames.map(\.text) == ["at Shop4cart"])
    }

    @Test func `the calls of a deep stack end where its middle is left out`() throws {
        let calls = ["ping", "pong", "ping"].map { (symbol: "$s4Shop4\($0)", place: "/app/A.swift:1") }
        let json = Self.report(
            calls + [(symbol: "truncated", place: ""), (symbol: "$s4Shop4main", place: "/app/B.swift:1")]
        )
        #expect(try #require(Backtrace(json: json)).frames.map(\.function) == ["Shop4ping", "Shop4pong", "Shop4ping"])
    }

    @Test(arguments: ["", "{", "{}", "[1]", #"{"threads": []}"#, "Thread 0 crashed:", #"{"threads": [{"frames": 1}]}"#])
    func `invalid text is no report`(text: String) {
        #expect(Backtrace(json: text) == nil)
    }
}
