import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightSupport
import HindsightTree
import Testing

/// A state that cannot be encoded: it has a closure, an object, and a type of its own that is not `Codable`.
private struct Screen {
    struct Alert {
        var title: String
        var confirm: () -> Void
    }

    final class Cache { var hits = 0 }

    var lines: [String] = []
    var alert: Alert?
    let cache = Cache()
}

private enum Event {
    case add(String)
    case confirm(() -> Void)
    case loaded(Result<Int, any Error>)
}

private func reduce(_ screen: inout Screen, _ event: Event) {
    switch event {
    case .add(let line): screen.lines.append(line)
    case .confirm(let body): screen.alert = Screen.Alert(title: "Sure?", confirm: body)
    case .loaded: screen.cache.hits += 1
    }
}

/// Actions of which some are `Codable`.
private protocol Command: Sendable {}
private struct Add: Command, Codable { var count: Int }
private struct Ask: Command { var answer: @Sendable (Bool) -> Void = { _ in } }
private struct SignIn: Command {
    var name: String
    var password: String
    @Redacted var code: String
}
/// Cannot be encoded.
private enum Pay: Command, Codable {
    struct Refusal: Error {}

    case card(number: String)
    func encode(to encoder: any Encoder) throws { throw Refusal() }
}

@Suite("Recording what is not Codable") struct DescribedStoreTests {
    private let scratch = Scratch()

    private func record(_ options: RecorderOptions = RecorderOptions()) throws -> Recording {
        let recorder = try Recorder<Described<Screen>, Described<Event>>(
            to: scratch.file(),
            app: AppInfo(name: "screens"),
            options: options
        )
        var screen = Screen()
        for event in [.add("a"), .confirm({}), .loaded(.success(3)), .add("b")] as [Event] {
            recorder.record(Described(event), in: &screen) { reduce(&$0, event) }
        }
        try recorder.close()
        #expect(screen.lines == ["a", "b"])
        return try Recording(at: scratch.file())
    }

    @Test("States and actions are described, and the recording names the types that lack Codable")
    func described() throws {
        let recording = try record()
        let actions = try recording.actions(in: 1...4)
        #expect(actions.map(\.type) == ["add", "confirm", "loaded", "add"])
        #expect(actions[0].payload == ["add": ["_0": "a"]])
        #expect(actions[2].payload == ["loaded": ["_0": ["success": ["_0": 3]]]])
        #expect(actions.allSatisfy { $0.isDescribed && $0.isGap })
        func state(_ seq: Int) throws -> Node { try recording.state(at: Recording.Position(seq: seq)) }
        #expect(try state(0)["alert"] == .null)
        #expect(try state(2)["alert"] == ["title": "Sure?", "confirm": ["$function": "() -> ()"]])
        #expect(try state(2)["cache"] == ["$class": "Screen.Cache", "hits": 0])
        #expect(try state(3)["cache"] == ["$class": "Screen.Cache", "hits": 1])
        #expect(try state(4)["lines"] == ["a", "b"])
        #expect(recording.typesOfDescribedStates.first == "Screen")
        let summary = try recording.summary()
        #expect(summary.descriptions == 4 && summary.gaps == 0)
        #expect(summary.describedTypes.first { $0.type == "Screen" }?.states == true)
        let counts = summary.describedTypes.filter { !$0.states }.map { "\($0.type) \($0.actions)" }
        #expect(counts.contains("Event 4") && counts.contains("Result<Int, Error> 1"))
        #expect(try Recording.examine(at: scratch.file()).isSound)
        #expect(throws: Never.self) { try recording.requireSameAsText(scratch.file("copy.jsonl")) }
    }

    @Test("Redacted paths are hidden in descriptions")
    func redacted() throws {
        let redaction = Redaction(states: ["/lines/*"], actions: ["/add/_0"])
        let recording = try record(RecorderOptions(redaction: redaction))
        #expect(try recording.action(1).payload == ["add": ["_0": "[redacted]"]])
        #expect(try recording.state(at: recording.end)["lines"] == ["[redacted]", "[redacted]"])
        let bytes = try Data(contentsOf: scratch.file())
        #expect(bytes.range(of: Data(#""b""#.utf8)) == nil)
    }

    @Test("A codec describes the actions that it cannot encode, and no others")
    func failures() throws {
        var registry = ActionRegistry<any Command>()
        registry.register(Add.self) { $0 }
        let recorder = try Recorder<Int, any Command>(
            to: scratch.file(),
            app: AppInfo(name: "commands"),
            actions: registry.codec.describingFailures
        )
        var count = 0
        for command in [Add(count: 1), Ask(), Add(count: 2)] as [any Command] {
            recorder.record(command, in: &count) { $0 += (command as? Add)?.count ?? 10 }
        }
        let recording = try recorder.closeAndRead()
        #expect(recording.typesOfDescribedStates.isEmpty)
        let actions = try recording.actions(in: 1...3)
        #expect(actions.map(\.type) == ["Add", "Ask", "Add"])
        #expect(actions.map(\.isDescribed) == [false, true, false])
        #expect(actions[1].payload == ["Ask": ["answer": ["$function": "@Sendable (Bool) -> ()"]]])
        #expect(try recording.summary().describedTypes.map(\.type) == ["Ask", "@Sendable (Bool) -> ()"])
    }

    @Test("Redacted paths are hidden in the actions that a codec describes, at the paths that the recording shows")
    func redactedFailures() throws {
        var registry = ActionRegistry<any Command>()
        registry.register(Pay.self, as: "Payment") { $0 }
        let recorder = try Recorder<Int, any Command>(
            to: scratch.file(),
            app: AppInfo(name: "commands"),
            actions: registry.codec.describingFailures,
            options: RecorderOptions(redaction: Redaction(actions: ["/SignIn/password", "/Payment/card/number"]))
        )
        var count = 0
        let commands: [any Command] = [
            SignIn(name: "zoe", password: "hunter2", code: "7295"), Pay.card(number: "4111"),
        ]
        for command in commands { recorder.record(command, in: &count) { $0 += 1 } }
        let recording = try recorder.closeAndRead()
        let actions = try recording.actions(in: 1...2)
        #expect(actions.map(\.type) == ["SignIn", "Payment"])
        #expect(actions[0].payload?["SignIn"]?["name"] == "zoe")
        #expect(actions[0].payload?["SignIn"]?["password"] == "[redacted]")
        #expect(recording.redaction.actionFields == ["/SignIn/code"])
        let bytes = try Data(contentsOf: scratch.file())
        for secret in ["hunter2", "7295", "4111"] { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)") }
    }

    @Test("A state that is Codable and not Sendable is recorded as itself")
    func notSendable() throws {
        final class Box: Codable { var value = 1 }
        let recorder = try Recorder<Described<Box>, Int>(to: scratch.file(), app: AppInfo(name: "box"))
        var box = Box()
        for number in 1...3 { recorder.record(number, in: &box) { $0.value += number } }
        let recording = try recorder.closeAndRead()
        #expect(try recording.state(at: recording.end) == ["value": 7])
        #expect(try recording.state(at: Recording.Position(seq: 1)) == ["value": 2])
        #expect(recording.typesOfDescribedStates.isEmpty)
    }

    @Test("A part that is not Codable makes a description of its action, and of no other")
    func parts() throws {
        enum Mixed: Codable { case add(Int), ask(Described<(Int) -> Void>), label(String) }
        struct Form: Codable { var sum = 0, alert: Described<Screen.Alert>? }
        let recorder = try Recorder<Form, Described<Mixed>>(
            to: scratch.file(),
            app: AppInfo(name: "form"),
            options: RecorderOptions(redaction: Redaction(actions: ["/label/_0"]))
        )
        var form = Form()
        let actions: [Mixed] = [.add(1), .ask(Described { _ in }), .add(2), .label("secret")]
        for action in actions {
            recorder.record(Described(action), in: &form) { form in
                switch action {
                case .add(let number): form.sum += number
                case .ask: form.alert = Described(Screen.Alert(title: "Sure?") {})
                case .label: form.alert?.value.title = "changed"
                }
            }
        }
        let recording = try recorder.closeAndRead()
        let recorded = try recording.actions(in: 1...4)
        #expect(recorded.map(\.isDescribed) == [false, true, false, false])
        #expect(recorded[0].payload == ["add": ["_0": 1]])
        #expect(recorded[1].payload == ["ask": ["_0": ["$function": "(Int) -> ()"]]])
        #expect(recorded[3].payload == ["label": ["_0": "[redacted]"]])
        #expect(recording.typesOfDescribedStates.isEmpty)
        #expect(try recording.state(at: Recording.Position(seq: 1)) == ["sum": 1])
        #expect(
            try recording.state(at: recording.end)["alert"] == [
                "title": "changed", "confirm": ["$function": "() -> ()"],
            ]
        )
        #expect(try Recording.examine(at: scratch.file()).isSound)
    }

    @Test("Steps have their names, and nothing is reported")
    func steps() throws {
        let errors = Locked<[RecordingError]>([])
        let options = RecorderOptions(
            redaction: Redaction(states: ["/lines/*"]),
            steps: ["lines"],
            onError: { error in errors.withLock { $0.append(error) } }
        )
        let recorder = try Recorder<Described<Screen>, Int>(
            to: scratch.file(),
            app: AppInfo(name: "screens"),
            options: options
        )
        var screen = Screen()
        recorder.record(1, in: &screen) { screen in
            screen.cache.hits = 1
            ActionStep.run("lines", in: &screen) { $0.lines.append("a") }
        }
        let recording = try recorder.closeAndRead()
        let steps = try recording.steps(of: 1)
        #expect(steps.map { $0.patch?.isEmpty } == [false, false])
        #expect(errors.withLock { $0 }.isEmpty, "\(errors.withLock { $0 })")
    }

    @Test("What looks like a case is one only if it is an enum")
    func names() throws {
        struct Ask { var answer = Screen.Alert(title: "?") {} }
        let recorder = try Recorder<Int, Described<Ask>>(to: scratch.file(), app: AppInfo(name: "ask"))
        var count = 0
        recorder.record(Described(Ask()), in: &count) { $0 += 1 }
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        #expect(try recording.action(1).type == "Ask")
        try recording.requireSameAsText(scratch.file("text.jsonl"))
        let migrated = scratch.file("migrated.hindsight")
        _ = try RecordingBuilder.write(from: recording, to: migrated, overwrite: false) { tables in
            let rewriter = try RecordingRewriter(
                recording,
                to: tables,
                actions: { payload, _ in [payload] },
                state: { state, _ in state }
            )
            return try rewriter.write(schema: 2) { _ in }
        }
        #expect(try Recording(at: migrated).action(1) == recording.action(1))
    }

    @Test("A model that has the recorder is described without it")
    func model() throws {
        final class Model {
            var state = Screen()
            let recorder: Recorder<Described<Parent>, Int>
            init(_ recorder: Recorder<Described<Parent>, Int>) { self.recorder = recorder }
        }
        struct Parent { weak var model: Model? }
        let errors = Locked<[RecordingError]>([])
        let recorder = try Recorder<Described<Parent>, Int>(
            to: scratch.file(),
            app: AppInfo(name: "model"),
            options: RecorderOptions { error in errors.withLock { $0.append(error) } }
        )
        let model = Model(recorder)
        var parent = Parent(model: model)
        for number in 1...3 { recorder.record(number, in: &parent) { $0.model?.state.lines.append("\(number)") } }
        let recording = try recorder.closeAndRead()
        #expect(recording.actionCount == 3)
        let described = try recording.state(at: recording.end)["model"]
        #expect(described?["recorder"]?["$omitted"] != nil)
        #expect(described?["state"]?["lines"] == ["1", "2", "3"])
        #expect(errors.withLock { $0 }.isEmpty, "\(errors.withLock { $0 })")
    }

    @Test("An error leaves through the recorder as it is")
    func errors() throws {
        struct Stop: Error, Equatable {}
        let recorder = try Recorder<Described<Screen>, Int>(to: scratch.file(), app: AppInfo(name: "screens"))
        var screen = Screen()
        #expect(throws: Stop()) {
            try recorder.record(1, in: &screen) { screen throws(Stop) in
                screen.lines = ["left"]
                throw Stop()
            }
        }
        try recorder.close()
        #expect(screen.lines == ["left"])
        #expect(try Recording(at: scratch.file()).state(at: Recording.Position(seq: 1))["lines"] == ["left"])
    }

    @Test func `A description names its types, and no other problem does`() {
        #expect(DescriptionText.types(in: DescriptionText.text(of: ["A", "Result<B, C>"])) == ["A", "Result<B, C>"])
        #expect(
            DescriptionText.types(in: "It is no text of this kind, although it is long enough, and ends so: A; B.")
                == []
        )
        #expect(DescriptionText.types(in: String(DescriptionText.text(of: ["A"]).dropLast())) == [])
    }
}

extension Recording {
    /// Expects the text of the recording to say the same.
    fileprivate func requireSameAsText(_ url: URL) throws {
        try writeText(to: url)
        let copy = try Recording(at: url)
        #expect(copy.typesOfDescribedStates == typesOfDescribedStates)
        #expect(try copy.actions(in: 1...actionCount) == actions(in: 1...actionCount))
        #expect(try copy.state(at: copy.end) == state(at: end))
    }
}
