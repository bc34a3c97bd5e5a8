import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The self-audit") struct SelfAuditTests {
    private let scratch = Scratch()

    private func state(_ number: Int) -> String { #"{"n":\#(number)}"# }

    private func step(_ old: Int, _ new: Int) -> String { #"[[5,["r/n",\#(old),\#(new)]]]"# }

    /// An audit of two actions that change 1 to 3, and of the whole state after them.
    private func audit(whole: Int, second: String? = nil) -> SelfAudit {
        var audit = SelfAudit()
        audit.begin(with: state(1))
        audit.add(1, step(1, 2))
        audit.add(2, second ?? step(2, 3))
        audit.end(with: state(whole), at: 2)
        return audit
    }

    @Test func `The audit accepts changes that lead to the whole state, and reports the path of others`() throws {
        var right = audit(whole: 3)
        #expect(right.run { true }.isEmpty)
        var wrong = audit(whole: 4)
        let drift = try #require(wrong.run { true }.first)
        #expect(drift.actions == 1...2 && drift.path == NodePath(["n"]) && !drift.isPatchFailure)
        #expect(wrong.run { true }.isEmpty)
        var patchFailure = audit(whole: 3, second: step(7, 3))
        let other = try #require(patchFailure.run { true }.first)
        #expect(other.actions == 1...2 && other.path == NodePath(["n"]) && other.isPatchFailure)
        #expect(right.unaudited + wrong.unaudited + patchFailure.unaudited == 0)
    }

    @Test func `The whole state that ends one span begins the next`() {
        var audit = audit(whole: 3)
        #expect(!audit.isOpen)
        audit.add(3, step(3, 4))
        #expect(audit.isOpen)
        #expect(audit.finish(with: state(5), at: 3)?.actions == 3...3)
        #expect(!audit.isOpen)
        #expect(audit.finish(with: state(5), at: 3)?.actions == nil)
    }

    @Test func `The audit waits without idle time, but takes a share of the time spent on writing`() {
        var audit = audit(whole: 4)
        #expect(audit.run { false }.isEmpty)
        audit.noteWork(1)
        #expect(audit.run { false }.count == 1)
        var other = self.audit(whole: 4)
        #expect(other.run { false }.isEmpty)
        #expect(other.run { true }.count == 1)
        #expect(other.closingTime == 30_000_000)
        other.noteWork(64_000_000_000)
        #expect(other.closingTime == 1_000_000_000)
    }

    @Test func `Skipped audits are counted`() {
        var audit = SelfAudit()
        audit.add(1, step(1, 2))
        #expect(audit.unaudited == 1)
        audit.begin(with: state(2))
        audit.add(2, step(2, 3))
        audit.breakOff()
        #expect(audit.unaudited == 2)
        audit.add(3, step(3, 4))
        #expect(audit.unaudited == 3)
        audit.begin(with: state(4))
        audit.add(4, step(4, 5))
        audit.end(with: state(5), at: 4)
        audit.add(5, step(5, 6))
        audit.giveUp()
        #expect(audit.unaudited == 5)
        #expect(audit.run { true }.isEmpty)
    }

    @Test func `Spans that would need too much memory are not kept`() {
        let big = #""\#(String(repeating: "x", count: 3 << 20))""#
        var audit = SelfAudit()
        audit.begin(with: big)
        for seq in 1...4 {
            audit.add(seq, "[[5]]")
            audit.end(with: big, at: seq)
        }
        // Each takes six megabytes, and one is always kept.
        #expect(audit.unaudited == 3)
        #expect(audit.run { true }.isEmpty)
        audit.begin(with: #""\#(String(repeating: "x", count: SelfAudit.maxStateBytes - 2))""#)
        audit.add(5, "[[5]]")
        #expect(audit.isOpen)
        audit.begin(with: #""\#(String(repeating: "x", count: SelfAudit.maxStateBytes - 1))""#)
        audit.add(6, "[[5]]")
        #expect(!audit.isOpen)
        #expect(audit.unaudited == 5)
    }

    @Test func `Actions that change nothing take no memory, and are audited`() throws {
        var audit = SelfAudit()
        audit.begin(with: state(1))
        let bytes = audit.keptBytes
        for seq in 1...100 { audit.add(seq, "[12345,678,90]") }
        #expect(audit.isOpen)
        #expect(audit.keptBytes == bytes)
        audit.add(101, step(1, 2))
        audit.add(102, "[5]")
        #expect(audit.keptBytes == bytes + step(1, 2).utf8.count)
        var other = audit
        #expect(audit.finish(with: state(2), at: 102)?.actions == nil)
        #expect(other.finish(with: state(3), at: 102)?.actions == 1...102)
        #expect(audit.unaudited == 0)
        audit.begin(with: state(2))
        for seq in 103...104 { audit.add(seq, "[5]") }
        // A change that was not seen at all.
        audit.end(with: state(3), at: 104)
        #expect(audit.run { true }.map(\.actions) == [103...104])
        for seq in 105...107 { audit.add(seq, "[5]") }
        audit.giveUp()
        #expect(audit.unaudited == 3)
    }

    @Test func `While there is work, a share of the writer's time goes to the audit`() throws {
        let complaints = Complaints()
        var options = complaints.options
        // Each action has a whole state after it, which shows the change that is missed.
        options.limit = .actions(1)
        options.missedField = "text"
        let recorder = try Recorder<Held, Int>(to: scratch.file(), app: AppInfo(name: "held"), options: options)
        let gates = [1: WriterGate(), 2: WriterGate()]
        let store = Store(
            initial: Held(length: 0),
            reducer: Reducer("set") { state, number in state = Held(length: number, gate: gates[number]) },
            middleware: [recorder.middleware]
        )
        store.dispatch(1)
        #expect(gates[1]?.waitForWriter() == true)
        // So that the writer has something to do after the first batch.
        store.dispatch(2)
        gates[1]?.open()
        #expect(gates[2]?.waitForWriter() == true)
        #expect(complaints.codes == [.doubtfulStates])
        gates[2]?.open()
        try recorder.close()
        // The changes do not contradict one another, so the writer goes on as before.
        #expect(try Recording(at: scratch.file()).steps(of: 2).map(\.patch) == [nil])
    }

    @Test func `The largest state to audit is audited at the end, also if it holds a class instance`() throws {
        struct Shelf: Codable { var page = Page() }
        let (recorder, store) = try Recorder<Shelf, Int>.withStore(Shelf(), to: scratch.file()) { _, _ in }
        store.dispatch(1)
        let recording = try recorder.closeAndRead()
        #expect(try recording.state(at: recording.end).json.utf8.count == SelfAudit.maxStateBytes)
        #expect(recording.unauditedCount == 0)
    }

    @Test
    func `If the last state cannot be encoded any more, the actions since the last whole state count as not audited`()
        throws
    {
        struct Shelf: Codable { var book = Book() }
        let (recorder, store) = try Recorder<Shelf, Int>.withStore(Shelf(), to: scratch.file()) { _, _ in }
        for number in 1...2 { store.dispatch(number) }
        store.state.book.isTorn = true
        try recorder.close()
        #expect(try Recording(at: scratch.file()).unauditedCount == 2)
    }

    @Test func `A recording counts the actions whose states were not audited`() throws {
        struct Big: Codable {
            var text = String(repeating: "x", count: SelfAudit.maxStateBytes)
            var count = 0
        }
        let (recorder, store) = try Recorder<Big, Int>.withStore(Big(), to: scratch.file()) { $0.count += $1 }
        for number in 1...3 { store.dispatch(number) }
        try recorder.close()
        #expect(try Recording(at: scratch.file()).unauditedCount == 3)
    }
}

/// With `{"page":""}` around it, a text as large as a state that is audited may be.
private final class Page: Codable, Sendable {
    let text = String(repeating: "x", count: SelfAudit.maxStateBytes - #"{"page":""}"#.utf8.count)

    init() {}
    init(from decoder: any Decoder) throws {}

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Changed on the store's one thread only.
private final class Book: Codable, @unchecked Sendable {
    var isTorn = false

    private struct Torn: Error {}

    init() {}
    init(from decoder: any Decoder) throws {}

    func encode(to encoder: any Encoder) throws {
        if isTorn { throw Torn() }
        var container = encoder.singleValueContainer()
        try container.encode("a book")
    }
}
