import Foundation
import HindsightSQLite
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The store's last activity") struct LastActivityTests {
    private let scratch = Scratch()

    /// The activity that each way to die leaves; see `Tests/CrashingApp`.
    struct Death: Sendable, CustomTestStringConvertible {
        var way: String
        var activity: LastActivity
        /// The reducer that runs; 0 in an action outside its reducers.
        var reducer: Int?
        var testDescription: String { way }

        init(_ way: String, _ activity: LastActivity, reducer: Int? = nil) {
            (self.way, self.activity, self.reducer) = (way, activity, reducer)
        }

        var ending: Recording.Ending {
            reducer.map { .crashed(seq: 3, reducer: $0 == 0 ? nil : $0) } ?? .open(live: false)
        }
    }

    static let deaths: [Death] = [
        Death("in a reducer", .reducer(2, of: 3), reducer: 2),
        Death(
            "in middleware before next",
            .enteringMiddleware(after: 2, parent: nil, origin: "MyApp/Cart.swift:43")
        ),
        Death(
            "in middleware before next of an answer",
            .enteringMiddleware(after: 2, parent: 2, origin: "MyApp/Cart.swift:7")
        ),
        Death(
            "in middleware for a subscriber",
            .enteringMiddleware(after: 2, parent: 2, origin: "MyApp/Cart.swift:7")
        ),
        Death("in middleware after next", .leavingMiddleware(of: 3)),
        Death("in an observer", .betweenReducers(after: 1, of: 3), reducer: 0),
        Death("in a subscriber", .subscribers(of: 3)),
        Death("in a subscriber after each reducer", .betweenReducers(after: 1, of: 3), reducer: 0),
        Death("in an effect", .idle(after: 3)),
        Death("on another thread", .idle(after: 3)),
        Death("on another thread while a reducer runs", .reducer(2, of: 3), reducer: 2),
        Death("by exit", .idle(after: 3)),
        Death("by exit in a reducer", .reducer(2, of: 3), reducer: 2),
        Death("by SIGKILL between actions", .idle(after: 3)),
        Death("by SIGKILL in a reducer", .reducer(2, of: 3), reducer: 2),
        Death("by SIGKILL in a subscriber", .subscribers(of: 3)),
        Death("by stack overflow", .reducer(2, of: 3), reducer: 2),
        Death("by a bad address", .reducer(2, of: 3), reducer: 2),
    ]

    @Test(
        "A recording has the store's activity at the end of the process, even after recovery",
        arguments: deaths
    )
    func ways(death: Death) throws {
        try Child(recordingTo: scratch.file(), end: death.way).waitForEnd()
        for isRecovered in [false, true] {
            if isRecovered { _ = try Recording.recover(at: scratch.file()) }
            let recording = try Recording(at: scratch.file())
            #expect(recording.lastActivity == death.activity, "recovered: \(isRecovered)")
            #expect(recording.ending == death.ending, "recovered: \(isRecovered)")
            // No code has asked for it.
            #expect(recording.crashSignal == nil && !recording.hasExited)
        }
    }

    @Test("A journal without a phase mark has no last activity")
    func withoutPhase() throws {
        try Child(recordingTo: scratch.file(), end: "in a subscriber").waitForEnd()
        let journal = URL(fileURLWithPath: JournalFile.path(for: scratch.file().path))
        var bytes = try Data(contentsOf: journal)
        for offset in 0..<8 { bytes[JournalLayout.phaseOffset + offset] = 0 }
        try bytes.write(to: journal)
        let recording = try Recording(at: scratch.file())
        #expect(recording.lastActivity == nil)
        #expect(recording.ending == .open(live: false))
    }

    @Test("The journal overrides the activity that a recovery has written")
    func interruptedRecovery() throws {
        try Child(recordingTo: scratch.file(), end: "in a subscriber").waitForEnd()
        let journal = URL(fileURLWithPath: JournalFile.path(for: scratch.file().path))
        let bytes = try Data(contentsOf: journal)
        _ = try Recording.recover(at: scratch.file())
        let other = LastActivity.idle(after: 3)
        try Connection(scratch.file().path, .readWrite)
            .execute("UPDATE recording SET value = '\(other.node.json)' WHERE key = 'during'")
        #expect(try Recording(at: scratch.file()).lastActivity == other)
        try bytes.write(to: journal)
        #expect(try Recording(at: scratch.file()).lastActivity == .subscribers(of: 3))
    }

    @Test("A live or closed recording has no last activity")
    func others() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.clear)
        #expect(try Recording(at: scratch.file()).lastActivity == nil)
        try recorder.close()
        #expect(try Recording(at: scratch.file()).lastActivity == nil)
    }

    @Test("A phase of another action means that the last one was over")
    func earlierPhase() {
        func activity(_ phase: PhaseMark, last: Int) -> LastActivity? {
            var journal = JournalSnapshot(mark: ReducerMark(phase: .idle, seq: last, reducer: 0))
            journal.phase = phase
            return LastActivity(journal, last: last, isFinished: true)
        }
        #expect(activity(PhaseMark(kind: .reducer, seq: 1, detail: 1), last: 0) == .idle(after: 0))
        #expect(activity(PhaseMark(kind: .reducer, seq: 3, detail: 1), last: 3) == .leavingMiddleware(of: 3))
        var stopped = JournalSnapshot(mark: ReducerMark(phase: .stopped, seq: 3, reducer: 0))
        stopped.phase = PhaseMark(kind: .idle, seq: 3, detail: 0)
        #expect(LastActivity(stopped, last: 3, isFinished: true) == nil)
        let (own, other) = (PhaseMark.detail(of: 3), PhaseMark.detail(of: 2))
        #expect(own != other)
        #expect(activity(PhaseMark(kind: .unwinding, seq: 1, detail: own), last: 3) == .leavingMiddleware(of: 1))
        #expect(activity(PhaseMark(kind: .unwinding, seq: 1, detail: other), last: 3) == .leavingMiddleware(of: 3))
    }

    @Test("An action that only an observer before the recorder has met is in the middleware")
    func observedNext() {
        var journal = JournalSnapshot(mark: ReducerMark(phase: .idle, seq: 3, reducer: 0))
        for (seq, activity) in [
            (3, .leavingMiddleware(of: 3)), (4, .enteringMiddleware(after: 3, parent: nil, origin: nil)),
            (5, .leavingMiddleware(of: 3)),
        ] as [(Int, LastActivity)] {
            journal.phase = PhaseMark(kind: .betweenReducers, seq: seq, detail: 0)
            #expect(LastActivity(journal, last: 3, isFinished: true) == activity, "\(seq)")
        }
    }

    @Test("A phase mark reads back, and a flipped bit makes it invalid")
    func words() {
        for mark in [
            PhaseMark(kind: .idle, seq: 0, detail: 0), PhaseMark(kind: .middleware, seq: 412, detail: 1),
            PhaseMark(kind: .reducer, seq: 1 << 40 - 1, detail: 1 << 13 - 1),
            PhaseMark(kind: .unwinding, seq: 7, detail: 9),
        ] {
            #expect(PhaseMark(word: mark.word) == mark)
            for bit in 0..<64 { #expect(PhaseMark(word: mark.word ^ 1 << UInt64(bit)) == nil) }
        }
        #expect(PhaseMark(word: 0) == nil)
    }

    @Test("A recovered last activity reads back, and any other text does not")
    func text() {
        for death in Self.deaths {
            let last = if case .enteringMiddleware = death.activity { 2 } else { 3 }
            let isFinished = death.reducer == nil
            let json = death.activity.node.json
            #expect(LastActivity(json: json, last: last, isFinished: isFinished) == death.activity)
            #expect(LastActivity(json: json, last: last, isFinished: !isFinished) == nil)
        }
        for json in ["", "{}", "[]", #"{"phase":"idle","after":-1}"#, #"{"phase":"reducer","seq":3}"#] {
            for isFinished in [false, true] {
                #expect(LastActivity(json: json, last: 3, isFinished: isFinished) == nil)
            }
        }
    }
}
