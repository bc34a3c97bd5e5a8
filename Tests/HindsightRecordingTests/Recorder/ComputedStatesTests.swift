import Foundation
import HindsightStore
import HindsightTree
import Synchronization
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// Reducers of which each depends on something else than the state and the action.
private enum Impurity: String, CaseIterable, Codable {
    case clock, uuid, random, setOrder, global, environment, captured, race
}

private struct Rooms: Codable, Sendable {
    var count = 0
    var steady: [Int] = []
    var time = 0.0
    var id = ""
    var number = 0
    var order: [Int] = []
    var calls = 0
    var home = ""
    var box = 0
    var shared = 0
}

private final class Box: Sendable {
    let value = Mutex(0)
    /// Returns another number each time.
    func next() -> Int {
        value.withLock {
            $0 += 1; return $0
        }
    }
}

/// States that the recorder computes behind the app.
@Suite("Computed states") struct ComputedStatesTests {
    private let scratch = Scratch()

    /// The text of a recording without what differs from run to run: times, and how states came to be.
    private func views(of recording: Recording) throws -> [String] {
        var views: [String] = []
        for action in try recording.actions(in: 1...recording.actionCount) {
            let steps = try recording.steps(of: action.seq).map { $0.patch?.compactJSON ?? "nothing" }
            views.append("\(action.seq) \(action.type) \(action.payload?.json ?? "") \(steps)")
        }
        return views
    }

    @Test("Both modes record the same, and the true states", arguments: Seeded.runs(3))
    func same(seed: Seeded) throws {
        var found: [[String]] = []
        for (name, states) in [("a", StateSource.captured), ("b", .computed(audit: .zero)), ("c", .computed())] {
            let witness = Witness<Shop, ShopAction>()
            let url = scratch.file("\(name).hindsight")
            let complaints = Complaints()
            var options = complaints.options
            options.states = states
            options.keyframeFloor = 200
            let recording = try recordShop(120, seed: seed.seed, to: url, options: options, witness: witness)
            #expect(complaints.all.isEmpty, "\(complaints.all)")
            for (position, state) in witness.states {
                #expect(try recording.state(at: position) == NodeEncoder().encode(state), "\(seed) \(name) \(position)")
            }
            found.append(try views(of: recording))
            let isComputed = states != .captured
            #expect(recording.computedStates == (isComputed ? ComputedStates(confirmed: 120) : nil), "\(name)")
        }
        #expect(found[0] == found[1], "\(seed)")
        #expect(found[0] == found[2], "\(seed)")
    }

    @Test("Time travel, and states that are left out, end in the app's states", arguments: Seeded.runs(4))
    func travel(seed: Seeded) throws {
        var options = RecorderOptions { _ = Issue.record($0) }
        options.states = .computed(audit: .milliseconds(2))
        options.whenBehind = .dropSnapshots
        options.queueLimit = QueueLimit(actions: 8)
        let recorder = try Recorder<Shop, ShopAction>(
            to: scratch.file(),
            app: AppInfo(name: "shop"),
            options: options
        )
        let store = Store(
            initial: Shop(),
            reducer: shopReducer,
            middleware: [recorder.middleware],
            history: .last(actions: 10_000)
        )
        var states: [Int: Shop] = [:]
        var random = seed
        for (number, action) in shopActions(400, seed: seed.seed).enumerated() {
            if random.once(in: 20) {
                try store.travel(to: random.below(number + 1))
            } else {
                store.dispatch(action)
            }
            states[number + 1] = store.state
        }
        let recording = try recorder.closeAndRead()
        #expect(recording.computedStates == ComputedStates(confirmed: 400))
        #expect(recording.doubtful.isEmpty && recording.end.seq == 400)
        for (seq, state) in states where recording.skippedRun(with: seq) == nil {
            #expect(
                try recording.state(at: Recording.Position(seq: seq)) == NodeEncoder().encode(state),
                "\(seed) \(seq)"
            )
        }
    }

    @Test("An impure reducer is told within an audit interval, with its place", arguments: Impurity.allCases)
    private func impure(kind: Impurity) throws {
        let complaints = Complaints()
        var options = complaints.options
        options.states = .computed(audit: .milliseconds(20))
        let (global, box) = (Box(), Box())
        let racing = Atomic(0)
        let reducer = Reducer<Rooms, Int>.combine(
            Reducer("steady") { rooms, action in rooms.steady.append(action) },
            Reducer("odd") { rooms, action in
                guard action > 30 else { return }
                switch kind {
                case .clock: rooms.time = Date().timeIntervalSince1970
                case .uuid: rooms.id = UUID().uuidString
                case .random: rooms.number = .random(in: 0..<1_000_000_000)
                case .setOrder: rooms.order += Set((0..<200).map { $0 &* action }).prefix(3)
                case .global: rooms.calls = global.next()
                case .environment:
                    rooms.home = ProcessInfo.processInfo.environment["HINDSIGHT_TEST_\(action % 3)"] ?? ""
                case .captured: rooms.box = box.value.withLock { $0 }
                case .race: rooms.shared = racing.load(ordering: .relaxed)
                }
            },
            Reducer("count") { rooms, _ in rooms.count += 1 }
        )
        let paths: [Impurity: String] = [
            .clock: "/time", .uuid: "/id", .random: "/number", .setOrder: "/order", .global: "/calls",
            .environment: "/home", .captured: "/box", .race: "/shared",
        ]
        let recorder = try Recorder<Rooms, Int>(to: scratch.file(), app: AppInfo(name: "rooms"), options: options)
        let store = Store(initial: Rooms(), reducer: reducer, middleware: [recorder.middleware])
        let stop = Atomic(false)
        let thread = Thread {
            while !stop.load(ordering: .relaxed) { racing.add(1, ordering: .relaxed) }
        }
        if kind == .race { thread.start() }
        // A slow machine needs more actions than the 20 or so of an interval.
        let deadline = Date(timeIntervalSinceNow: 60)
        var (number, rest) = (0, 20)
        while rest > 0, Date() < deadline {
            number += 1
            if !complaints.all.isEmpty { rest -= 1 }
            if kind == .environment { setenv("HINDSIGHT_TEST_\(number % 3)", "\(number)", 1) }
            if kind == .captured { box.value.withLock { $0 = number } }
            store.dispatch(number)
            // The recorder reads what the app reads only later.
            if kind == .environment { setenv("HINDSIGHT_TEST_\(number % 3)", "-", 1) }
            if kind == .captured { box.value.withLock { $0 = -1 } }
            if number > 30 { usleep(1000) }
        }
        stop.store(true, ordering: .relaxed)
        let last = store.state
        try recorder.close()
        let path = try #require(paths[kind])
        let error = try #require(complaints.all.first, "\(kind)")
        #expect(complaints.codes == [.impureReducer], "\(complaints.all)")
        #expect(error.path?.description.hasPrefix(path) == true, "\(error)")
        #expect(error.reducer == 2, "\(error)")
        let recording = try Recording(at: scratch.file())
        let computed = try #require(recording.computedStates)
        let switched = try #require(computed.last)
        #expect(switched < number, "\(kind): \(computed)")
        #expect(recording.doubtful.allSatisfy { $0.actions.upperBound <= switched }, "\(recording.doubtful)")
        #expect(!recording.doubtful.isEmpty)
        // From there on, the app's own states are recorded.
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(last))
        #expect(recording.end.seq == number)
    }

    @Test("The reducer that wrote an element is named, and not those that add others")
    func elements() throws {
        let complaints = Complaints()
        var options = complaints.options
        options.states = .computed(audit: .seconds(3600))
        let box = Box()
        let recorder = try Recorder<[Int], Int>(to: scratch.file(), app: AppInfo(name: "app"), options: options)
        let reducer = Reducer<[Int], Int>.combine(
            Reducer("main") { list, number in list.append(number) },
            Reducer("odd") { list, number in if number == 7 { list.append(box.next()) } }
        )
        let store = Store(initial: [], reducer: reducer, middleware: [recorder.middleware])
        for number in 1...20 { store.dispatch(number) }
        try recorder.close()
        let error = try #require(complaints.all.first)
        #expect(error.path?.description == "/7" && error.reducer == 2, "\(error)")
        #expect("\(error)".contains("odd has written it last, in action 7"), "\(error)")
    }

    @Test("A part of a recording says how far its own states were compared")
    func part() throws {
        #expect(ComputedStates("1200")?.part(after: 100, to: 200) == ComputedStates(confirmed: 100))
        #expect(ComputedStates("50-80")?.part(after: 60, to: 200) == ComputedStates(confirmed: 0, last: 20))
        #expect(ComputedStates("50-80")?.text == "50-80")
        for text in ["", "-1", "5-4", "1-2-3", "x", "7-"] { #expect(ComputedStates(text) == nil, "\(text)") }
    }

    @Test(
        "Without comparisons between, the one at the end tells",
        arguments: [Duration.seconds(3600), .seconds(Int64.max), .nanoseconds(Int64.max)]
    )
    func end(interval: Duration) throws {
        let complaints = Complaints()
        var options = complaints.options
        options.states = .computed(audit: interval)
        let box = Box()
        let (recorder, store) = try Recorder<Int, Int>.withStore(0, to: scratch.file(), options: options) {
            sum,
            number in
            sum += number == 7 ? box.next() : number
        }
        for number in 1...20 { store.dispatch(number) }
        try recorder.close()
        #expect(complaints.codes == [.impureReducer])
        let recording = try Recording(at: scratch.file())
        #expect(recording.computedStates == ComputedStates(confirmed: 20, last: 20))
        #expect(recording.doubtful.map(\.actions) == [1...20])
        #expect(try recording.state(at: recording.end) == .int(store.state))
    }

    @Test("After a difference, the recorder goes on from the app's state")
    func corrected() throws {
        let complaints = Complaints()
        var options = complaints.options
        options.states = .computed(audit: .zero)
        let box = Box()
        let (recorder, store) = try Recorder<Int, Int>.withStore(0, to: scratch.file(), options: options) {
            $0 += $1 == 7 ? box.next() : $1
        }
        for number in 1...20 {
            store.dispatch(number)
            try recorder.flush()
        }
        try recorder.close()
        #expect(complaints.codes == [.impureReducer])
        let recording = try Recording(at: scratch.file())
        // Action 8 is still computed, from the state that the app had after action 7.
        #expect(recording.doubtful.map(\.actions) == [7...7])
        #expect(recording.computedStates == ComputedStates(confirmed: 8, last: 8))
        #expect(try recording.state(at: recording.end) == .int(store.state))
    }

    @Test("What two audits find is marked once", arguments: [64, 4096])
    func bothAudits(floor: Int) throws {
        let complaints = Complaints()
        var options = complaints.options
        options.states = .computed(audit: .milliseconds(3))
        options.keyframeFloor = floor
        options.missedField = "note"
        let box = Box()
        let recorder = try Recorder<Shop, ShopAction>(to: scratch.file(), app: AppInfo(name: "shop"), options: options)
        let odd = Reducer<Shop, ShopAction>("odd") { shop, _ in shop.coupon = "\(box.next())" }
        let store = Store(initial: Shop(), reducer: .combine(shopReducer, odd), middleware: [recorder.middleware])
        for (number, action) in shopActions(200, seed: 5).enumerated() {
            store.dispatch(action)
            if number.isMultiple(of: 10) { usleep(1000) }
        }
        let last = store.state
        try recorder.close()
        #expect(complaints.codes.contains(.impureReducer))
        let recording = try Recording(at: scratch.file())
        let ranges = recording.doubtful.map(\.actions)
        // Computed states within a range are as doubtful as the others.
        let whole = try recording.wholeStates()
        // Closing leaves the recorder's own audit little time: a change that it did not get to is still missed.
        #expect(try Recording.examine(at: scratch.file()).isSound || recording.unauditedCount > 0)
        #expect(whole.allSatisfy { seq in !ranges.contains { $0.dropLast().contains(seq) } }, "\(ranges) \(whole)")
        #expect(
            !ranges.isEmpty && zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound },
            "\(ranges)"
        )
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(last))
    }

    @Test("Without its store, a recorder says that the end was not compared")
    func gone() throws {
        let options = RecorderOptions(states: .computed(audit: .seconds(3600))) { _ = Issue.record($0) }
        let recorder = try Recorder<Int, Int>(to: scratch.file(), app: AppInfo(name: "app"), options: options)
        let reducer = Reducer<Int, Int>("add") { $0 += $1 }
        let store = Store(initial: 0, reducer: reducer, middleware: [recorder.middleware])
        for number in 1...5 { store.dispatch(number) }
        // Another thread is in the middle of an action.
        let (isIn, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let token = store.subscribe { _ in
            isIn.signal()
            mayGo.wait()
        }
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            store.dispatch(6)
            done.signal()
        }
        thread.start()
        isIn.wait()
        try recorder.close()
        mayGo.signal()
        done.wait()
        withExtendedLifetime(token) {}
        #expect(try Recording(at: scratch.file()).computedStates == ComputedStates(confirmed: 0))
    }

    @Test("States with class instances, and stores without reducers, are captured")
    func captured() throws {
        final class Counter: Codable, Sendable {}
        struct Held: Codable, Sendable { var counter = Counter(); var sum = 0 }
        let complaints = Complaints()
        var options = complaints.options
        options.states = .computed()
        let (recorder, store) = try Recorder<Held, Int>.withStore(Held(), to: scratch.file(), options: options) {
            $0.sum += $1
        }
        store.dispatch(1)
        try recorder.close()
        #expect(complaints.codes == [.notComputable])
        #expect(try Recording(at: scratch.file()).computedStates == nil)

        // Not even a class that no encoder sees.
        final class Hidden: Sendable { let count = Mutex(0) }
        struct Holder: Codable, Sendable {
            var sum = 0
            var hidden: Hidden? = Hidden()
            enum CodingKeys: CodingKey { case sum }
        }
        let (third, holders) = try Recorder<Holder, Int>.withStore(
            Holder(),
            to: scratch.file("c.hindsight"),
            options: options
        ) { holder, number in
            holder.hidden?.count.withLock { $0 += 1 }
            holder.sum += number
        }
        for number in 1...50 { holders.dispatch(number) }
        try third.close()
        #expect(holders.state.hidden?.count.withLock { $0 } == 50)
        #expect(complaints.codes == [.notComputable, .notComputable])

        let other = try Recorder<Int, Int>(to: scratch.file("b.hindsight"), app: AppInfo(name: "app"), options: options)
        var sum = 0
        other.record(3, in: &sum) { $0 += 3 }
        try other.close()
        #expect(complaints.codes == [.notComputable, .notComputable, .notComputable])
        let recording = try Recording(at: scratch.file("b.hindsight"))
        #expect(recording.computedStates == nil)
        #expect(try recording.state(at: recording.end) == .int(3))
    }
}
