import Foundation
import HindsightStore
import HindsightTree
import Synchronization
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

private struct Refusal: Error {}

/// An object that may not encode.
private final class Refuser: Codable, @unchecked Sendable {
    var refuses: Bool

    init(refuses: Bool = true) { self.refuses = refuses }
    init(from decoder: any Decoder) throws { refuses = false }
    func encode(to encoder: any Encoder) throws {
        if refuses { throw Refusal() }
        var container = encoder.singleValueContainer()
        try container.encode("fine")
    }
}

private struct Fragile: Codable, Sendable {
    var object: Refuser
    var count = 0
}

/// Runs a closure once while it is encoded.
private struct Chatter: Codable, Sendable {
    static let script = Mutex<(@Sendable () -> Void)?>(nil)
    var number: Int

    enum CodingKeys: CodingKey { case number }

    func encode(to encoder: any Encoder) throws {
        let script = Self.script.withLock { $0.take() }
        script?()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
    }
}

/// A store of an app's own.
private final class OwnStore: @unchecked Sendable {
    // Sound: touched only while `lock` is held.
    var shop = Shop()
    let recorder: Recorder<Shop, ShopAction>
    let lock = NSLock()

    init(_ recorder: Recorder<Shop, ShopAction>) { self.recorder = recorder }

    func send(_ action: ShopAction, line: Int = #line) {
        lock.withLock {
            recorder.record(action, in: &shop, fileID: "App/Own.swift", line: line) { shopReducer.reduce(&$0, action) }
        }
    }
}

@Suite("Recording a store of another kind") struct ExternalStoreTests {
    private let scratch = Scratch()

    private func recorder(_ options: RecorderOptions = RecorderOptions()) throws -> Recorder<Shop, ShopAction> {
        try Recorder(to: scratch.file(), app: AppInfo(name: "shop"), options: options)
    }

    /// The recording, whose states after each action must be these.
    private func recording(_ states: [Shop], from first: Int = 0) throws -> Recording {
        let recording = try Recording(at: scratch.file())
        #expect(recording.end.seq == first + states.count - 1)
        for (index, state) in states.enumerated() {
            let position = Recording.Position(seq: first + index)
            #expect(try recording.state(at: position) == NodeEncoder().encode(state), "at \(position)")
        }
        return recording
    }

    @Test("The actions, their origins and all states are those of a Store", arguments: [1, 2, 3] as [UInt64])
    func same(seed: UInt64) throws {
        let actions = shopActions(300, seed: seed)
        let own = OwnStore(try recorder())
        var states = [own.shop]
        for (index, action) in actions.enumerated() {
            own.send(action, line: index + 1)
            states.append(own.shop)
        }
        try own.recorder.close()
        let recording = try recording(states)
        #expect(recording.reducers == ["reduce"])
        #expect(recording.ending == .closed)

        let (other, store) = try shop(at: scratch.file("store.hindsight"))
        for action in actions { store.dispatch(action) }
        try other.close()
        let expected = try Recording(at: scratch.file("store.hindsight"))
        for seq in 1...actions.count {
            let (action, same) = (try recording.action(seq), try expected.action(seq))
            #expect(action.payload == same.payload, "seed \(seed), action \(seq)")
            #expect(action.type == same.type)
            #expect(action.origin == "App/Own.swift:\(seq)")
            #expect(action.thread == same.thread)
            #expect(
                try recording.state(at: Recording.Position(seq: seq))
                    == expected.state(at: Recording.Position(seq: seq))
            )
        }
    }

    @Test("Steps have names and states of their own, also if some are left out")
    func steps() throws {
        let recorder = try recorder(RecorderOptions(steps: ["items", "total", "note"]))
        var shop = Shop()
        var between: [Shop] = []
        recorder.record(.add(name: "a", price: 2), in: &shop) { shop in
            shop.log.append("before")
            between.append(shop)
            ActionStep.run("items", in: &shop) { $0.items.append(Shop.Item(name: "a", price: 2)) }
            between.append(shop)
            ActionStep.run("total", in: &shop) { $0.total = 2 }
            // What comes after a step is part of it.
            shop.log.append("between")
            between.append(shop)
            ActionStep.run("note", in: &shop) { $0.note = "a" }
            between.append(shop)
        }
        recorder.record(.write("b"), in: &shop) { shop in
            ActionStep.run("note", in: &shop) { $0.note = "b" }
        }
        try recorder.close()
        let recording = try recording([Shop(), between[3], shop])
        #expect(recording.reducers == ["reduce", "items", "total", "note"])
        for (index, state) in between.enumerated() {
            let position = Recording.Position(seq: 1, reducer: index + 1)
            #expect(try recording.state(at: position) == NodeEncoder().encode(state), "\(position)")
        }
        #expect(try recording.steps(of: 2).filter { $0.patch?.isEmpty == false }.map(\.reducer) == [4])
    }

    @Test("A step that is no part of the options, or comes too late, is part of the one before, and is told once")
    func unknownSteps() throws {
        let errors = Mutex<[RecordingError]>([])
        let options = RecorderOptions(steps: ["items", "total"]) { error in errors.withLock { $0.append(error) } }
        let recorder = try recorder(options)
        var shop = Shop()
        for _ in 1...2 {
            recorder.record(.nothing, in: &shop) { shop in
                ActionStep.run("total", in: &shop) { $0.total += 1 }
                ActionStep.run("items", in: &shop) { $0.note += "i" }
                ActionStep.run("audit", in: &shop) { $0.log.append("l") }
                ActionStep.run("audit", in: &shop.total) { $0 += 1 }
            }
        }
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        for seq in 1...2 {
            #expect(try recording.steps(of: seq).filter { $0.patch?.isEmpty == false }.map(\.reducer) == [3])
        }
        #expect(errors.withLock { $0.map(\.code) } == [.unknownStep, .unknownStep])
        #expect(errors.withLock { $0.map(\.type) } == ["items", "audit"])
        // Outside of an action, a step only runs.
        #expect(ActionStep.run("total", in: &shop) { $0.total } == 4)
    }

    @Test("What the app changes outside of actions is a time travel, and no action gets the blame")
    func outside() throws {
        let recorder = try recorder()
        var shop = Shop()
        func write(_ text: String) { recorder.record(.write(text), in: &shop) { $0.note += text } }
        write("a")
        shop.items = [Shop.Item(name: "outside", price: 1)]
        write("b")
        // In place: the array keeps its buffer unless something else refers to it.
        shop.items[0].price = 2
        write("c")
        // The same content elsewhere in memory is no change.
        shop.items = Array(shop.items.map { Shop.Item(name: $0.name, price: $0.price) })
        write("d")
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        let types = try (1...recording.actionCount).map { try recording.action($0).type }
        #expect(types == ["write", "@travel", "write", "@travel", "write", "write"])
        #expect(try recording.steps(of: 2).map { $0.patch?.operations.count } == [1])
        for seq in [1, 3, 5, 6] {
            let paths = try recording.steps(of: seq).flatMap { ($0.patch?.operations ?? []).map { "\($0.path)" } }
            #expect(paths == ["/note"])
        }
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(shop))
    }

    @Test("An object that the app changes outside of actions is a time travel, too")
    func outsideObject() throws {
        final class Box: Codable, @unchecked Sendable { var value = 0 }
        struct Holder: Codable, Sendable {
            var box = Box()
            var count = 0
        }
        let recorder = try Recorder<Holder, Int>(to: scratch.file(), app: AppInfo(name: "holder"))
        var holder = Holder()
        recorder.record(1, in: &holder) { $0.count += 1 }
        holder.box.value = 5
        recorder.record(2, in: &holder) { $0.count += 1 }
        let recording = try recorder.closeAndRead()
        #expect(try (1...recording.actionCount).map { try recording.action($0).isTravel } == [false, true, false])
        #expect(try recording.steps(of: 3).flatMap { ($0.patch?.operations ?? []).map { "\($0.path)" } } == ["/count"])
    }

    @Test("A change of hidden values outside of actions is no time travel")
    func hiddenOutside() throws {
        let recorder = try recorder(RecorderOptions(redaction: Redaction(states: ["/note"])))
        var shop = Shop()
        for seq in 1...3 {
            shop.note = "secret \(seq)"
            recorder.record(.nothing, in: &shop) { $0.total += 1 }
        }
        let recording = try recorder.closeAndRead()
        #expect(recording.actionCount == 3)
        for seq in 1...3 { #expect(try recording.action(seq).type == "nothing") }
    }

    @Test("A state that cannot be encoded stops the recorder, and never the app", arguments: [false, true])
    func stops(inFirst: Bool) throws {
        let codes = Mutex<[RecordingError.Code]>([])
        let options = RecorderOptions { error in codes.withLock { $0.append(error.code) } }
        let recorder = try Recorder<Fragile, Int>(to: scratch.file(), app: AppInfo(name: "fragile"), options: options)
        var fragile = Fragile(object: Refuser(refuses: inFirst))
        for action in 1...5 {
            recorder.record(action, in: &fragile) { fragile in
                fragile.object.refuses = fragile.object.refuses || action == 3
                fragile.count += action
            }
        }
        #expect(fragile.count == 15)
        #expect(throws: RecordingError.self) { try recorder.close() }
        #expect(codes.withLock { $0 } == [.unencodableState])
    }

    @Test("A body that throws leaves its state and a note, and its error is thrown")
    func errors() throws {
        let recorder = try recorder(RecorderOptions(steps: ["items"]))
        var shop = Shop()
        #expect(throws: Refusal.self) {
            try recorder.record(.clear, in: &shop) { shop throws(Refusal) in
                shop.note = "half"
                throw Refusal()
            }
        }
        recorder.record(.nothing, in: &shop) { $0.total = 1 }
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        #expect(try recording.state(at: Recording.Position(seq: 1))["note"] == .string("half"))
        #expect(try recording.notes().map(\.text) == ["threw Refusal()"])
        #expect(try recording.notes().map(\.position.seq) == [1])
        #expect(recording.actionCount == 2)
    }

    @Test("An action inside of another is part of it, and a note")
    func nested() throws {
        let recorder = try recorder()
        var shop = Shop()
        let price = recorder.record(.clear, in: &shop) { shop in
            recorder.record(.add(name: "a", price: 3), in: &shop) { shop in
                shop.items.append(Shop.Item(name: "a", price: 3))
                return 3
            }
        }
        #expect(price == 3)
        try recorder.close()
        let recording = try recording([Shop(), shop])
        #expect(recording.actionCount == 1)
        #expect(try recording.notes().map(\.text) == [#"sent add(name: "a", price: 3)"#])
    }

    @Test("An action that is sent while another is encoded is part of it, and a note")
    func sentWhileEncoding() throws {
        let recorder = try Recorder<Int, Chatter>(to: scratch.file(), app: AppInfo(name: "chatter"))
        Chatter.script.withLock {
            $0 = {
                var other = 100
                recorder.record(Chatter(number: 9), in: &other) { $0 += 9 }
            }
        }
        var sum = 0
        for number in 1...2 { recorder.record(Chatter(number: number), in: &sum) { $0 += number } }
        let recording = try recorder.closeAndRead()
        let actions = try recording.actions(in: 1...recording.actionCount)
        #expect(actions.map(\.payload) == [["number": 1], ["number": 2]])
        #expect(try recording.state(at: recording.end) == 3)
        #expect(try recording.notes().map(\.text) == ["sent Chatter(number: 9)"])
    }

    private struct Account: Codable, Sendable {
        @Redacted var password = "secret-1"
        var tries = 0
    }

    private enum AccountAction: String, Codable, Sendable { case enter }

    private struct Rejected: Error { let password: String }

    @Test func `an error shows no value if a field of the state is redacted`() throws {
        let recorder = try Recorder<Account, AccountAction>(to: scratch.file(), app: AppInfo(name: "account"))
        var account = Account()
        #expect(throws: Rejected.self) {
            try recorder.record(.enter, in: &account) { account throws(Rejected) in
                account.tries += 1
                throw Rejected(password: account.password)
            }
        }
        try recorder.close()
        #expect(try Recording(at: scratch.file()).notes().map(\.text) == ["threw ExternalStoreTests.Rejected"])
        for data in try scratch.contents().values { #expect(!data.contains("secret")) }
    }

    @Test("If values are hidden, neither errors nor inner actions show them")
    func redaction() throws {
        let recorder = try recorder(RecorderOptions(redaction: Redaction(states: ["/note"], actions: ["/write/_0"])))
        var shop = Shop()
        recorder.record(.write("secret-1"), in: &shop) { shop in
            shop.note = "secret-2"
            recorder.record(.write("secret-3"), in: &shop) { $0.note += "secret-4" }
        }
        try recorder.flush()
        for data in try scratch.contents().values { #expect(!data.contains("secret")) }
        try recorder.close()
        for data in try scratch.contents().values { #expect(!data.contains("secret")) }
        #expect(try Recording(at: scratch.file()).notes().map(\.text) == ["sent ShopAction"])
    }

    @Test("Several threads, tasks and effects that come back are in one order")
    func threads() async throws {
        let own = OwnStore(try recorder())
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        own.send(.add(name: "\(task)", price: number))
                        await Task.yield()
                    }
                }
            }
        }
        try own.recorder.close()
        let recording = try Recording(at: scratch.file())
        #expect(recording.actionCount == 400)
        var shop = Shop()
        for action in try recording.actions(in: 1...400) {
            let payload = try #require(action.payload)
            shopReducer.reduce(&shop, try NodeDecoder().decode(ShopAction.self, from: payload))
            let state = try recording.state(at: Recording.Position(seq: action.seq))
            #expect(state == (try NodeEncoder().encode(shop)))
        }
    }

    @Test("The action that started an effect is the parent of what the effect sends")
    func parents() async throws {
        let own = OwnStore(try recorder())
        let other = OwnStore(try Recorder(to: scratch.file("other"), app: AppInfo(name: "shop")))
        let tasks = Mutex<[Task<Void, Never>]>([])
        @Sendable func send(_ name: String, _ start: () -> Void = {}) {
            own.recorder.record(.add(name: name, price: 1), in: &own.shop) { shop in
                shopReducer.reduce(&shop, .add(name: name, price: 1))
                start()
            }
        }
        @Sendable func start(_ work: @escaping @Sendable () -> Void) { tasks.withLock { $0.append(Task { work() }) } }
        var cause = ActionCause.current
        cause.run { send("1, by a cause that is no action") }
        send("2") {
            cause = .current
            start { send("3, by 2") { start { send("4, by 3") } } }
        }
        for _ in 1...2 { await tasks.withLock { $0.removeFirst() }.value }
        send("5, by none")
        cause.run { send("6, by 2") }
        await cause.run {
            await Task.yield()
            send("7, by 2")
            await Task { send("8, by 2") }.value
            await Task.detached { send("9, by none") }.value
            other.send(.clear)
        }
        #expect(throws: Refusal.self) { try cause.run { throw Refusal() } }
        send("10, by none")
        try own.recorder.close()
        try other.recorder.close()
        let actions = try Recording(at: scratch.file()).actions(in: 1...10)
        #expect(actions.map(\.parent) == [nil, nil, 2, 3, nil, 2, 2, 2, nil, nil])
        #expect(try Recording(at: scratch.file("other")).action(1).parent == nil)
    }

    @Test("What an action has started on another thread runs its steps outside of the action")
    func inherited() throws {
        let recorder = try recorder(RecorderOptions(steps: ["items"]))
        var shop = Shop()
        recorder.record(.clear, in: &shop) { shop in
            shop.note = "before"
            // A task inherits the cause.
            let cause = ActionCause.current
            let end = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                cause.run {
                    var other = Shop()
                    ActionStep.run("items", in: &other) { $0.total = 9 }
                }
                end.signal()
            }
            end.wait()
            shop.total = 1
        }
        #expect(ActionCause.action == nil)
        try recorder.close()
        let recording = try recording([Shop(), shop])
        #expect(try recording.steps(of: 1).filter { $0.patch?.isEmpty == false }.map(\.reducer) == [1])
    }

    @Test("A limit holds, and a recorder that does not record runs the body")
    func limitAndFailure() throws {
        let own = OwnStore(try recorder(RecorderOptions(limit: .actions(50))))
        for number in 1...500 { own.send(.add(name: "a", price: number)) }
        try own.recorder.close()
        let recording = try Recording(at: scratch.file())
        #expect(recording.start.seq > 300)
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(own.shop))

        own.send(.clear)
        #expect(own.shop.items.isEmpty)
        let none = Recorder<Shop, ShopAction>.start(
            to: scratch.directory.appending(path: "no/such/directory/file"),
            app: AppInfo(name: "shop"),
            options: RecorderOptions { _ in }
        )
        #expect(none.record(.nothing, in: &own.shop) { $0.items.count } == 0)
    }

    @Test("A recorder records one store: a Store or another one")
    func second() throws {
        let errors = Mutex<[RecordingError.Code]>([])
        let options = RecorderOptions { error in errors.withLock { $0.append(error.code) } }
        let recorder = try recorder(options)
        let store = Store(initial: Shop(), reducer: shopReducer, middleware: [recorder.middleware])
        store.dispatch(.write("a"))
        var shop = Shop()
        recorder.record(.write("b"), in: &shop) { $0.note = "b" }
        #expect(shop.note == "b")
        try recorder.close()
        #expect(errors.withLock { $0 } == [.secondStore])
        #expect(try Recording(at: scratch.file()).actionCount == 1)
    }

    @Test("A process killed at any moment leaves every action whose record returned", arguments: [1, 2, 3])
    func killed(round: Int) throws {
        let child = try Child(recordingTo: scratch.file(), end: "external")
        let returned = child.killAndRead(after: .random(in: 0...60_000)).count / 8
        #expect(returned > 0)
        let recording = try Recording(at: scratch.file())
        #expect((returned...returned + 1).contains(recording.lastFinished), "round \(round)")
        for action in try recording.actions(in: 1...recording.actionCount) {
            #expect(action.payload == .int(action.seq))
        }
        let last = recording.end.seq
        #expect(try recording.state(at: recording.end)["third"] == .int(last * (last + 1) / 2))
    }

    @Test("Between two actions, nothing is under way")
    func between() throws {
        let recorder = try recorder()
        var shop = Shop()
        for _ in 1...2 { recorder.record(.nothing, in: &shop) { $0.total += 1 } }
        try recorder.flush()
        // What a process leaves that is killed now.
        let left = Scratch()
        for (name, data) in try scratch.contents() { try data.write(to: left.file(name)) }
        let recording = try Recording(at: left.file())
        #expect(recording.ending == .open(live: false))
        #expect(recording.lastActivity == .idle(after: 2))
        try recorder.close()
    }

    @Test("After a trap, the recording names the action and the step")
    func trapped() throws {
        let child = try Child(recordingTo: scratch.file(), end: "external trap")
        child.waitForEnd()
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .crashed(seq: 3, reducer: 3))
        #expect(recording.name(ofReducer: 3) == "second")
        #expect(try recording.action(3).payload == .int(3))
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
