import Foundation
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Redacted recordings") struct RedactedStatesTests {
    private let scratch = Scratch()

    /// The expected form of a type's nodes, which suffices to redact them without the tested code.
    private indirect enum Kind: Sendable {
        case text, number, date, id, data, role, list(Kind), table(Kind), set, record([String: Kind])

        static let card = Kind.record(["number": .text, "kind": .text, "limit": .number])
        static let vault = Kind.record([
            "user": .record(["name": .text, "email": .text, "born": .date, "id": .id, "role": .role]),
            "cards": .list(.card), "byName": .table(.card), "hints": .table(.number), "tags": .set, "diary": .text,
            "blob": .data, "pin": .text, "count": .number,
        ])
    }

    private func hidden(_ node: Node, _ kind: Kind) -> Node {
        if case .null = node { return .null }
        switch kind {
        case .text: return "[redacted]"
        case .number: return 0
        case .date: return "2001-01-01T00:00:00Z"
        case .id: return "00000000-0000-0000-0000-000000000000"
        case .data: return .data([])
        case .role: return "guest"
        case .list, .set: return []
        case .table: return [:]
        case .record(let kinds):
            guard case .object(let members) = node else { return node }
            return .object(members.map { .init($0.key, hidden($0.value, kinds[$0.key] ?? .text)) })
        }
    }

    private func redacted(_ node: Node, _ kind: Kind, _ path: [String], _ patterns: [[String]]) -> Node {
        let isHidden = patterns.contains { pattern in
            pattern.count == path.count && zip(pattern, path).allSatisfy { $0 == "*" || $0 == $1 }
        }
        if isHidden { return hidden(node, kind) }
        switch (node, kind) {
        case (.array(let elements), .list(let kind)):
            return .array(elements.enumerated().map { redacted($1, kind, path + [String($0)], patterns) })
        case (.array(let elements), .set):
            let hidesMembers = patterns.contains(path + ["*"])
            return hidesMembers && !elements.isEmpty ? ["[redacted]"] : node
        case (.object(let members), .table(let kind)):
            return .object(members.map { .init($0.key, redacted($0.value, kind, path + [$0.key], patterns)) })
        case (.object(let members), .record(let kinds)):
            return .object(
                members.map { .init($0.key, redacted($0.value, kinds[$0.key] ?? .text, path + [$0.key], patterns)) }
            )
        default:
            return node
        }
    }

    static let patterns = [
        "/user", "/user/name", "/user/email", "/user/born", "/user/id", "/user/role", "/user/*", "/cards", "/cards/*",
        "/cards/*/number", "/cards/*/kind", "/byName", "/byName/*", "/byName/*/number", "/byName/name 2/limit",
        "/hints",
        "/hints/*", "/tags", "/tags/*", "/diary", "/blob", "/count", "/*",
    ]

    @Test("Each position has the true state with its redacted values replaced", arguments: Seeded.runs(6))
    func everywhere(random: Seeded) throws {
        var random = random
        let patterns = (0...random.below(5)).map { _ in random.pick(Self.patterns) }
        var options = RecorderOptions(redaction: Redaction(states: patterns.map { RedactedPath($0) }))
        options.keyframeFloor = random.pick([64, 4096])
        let recorder = try Recorder<Vault, VaultAction>(
            to: scratch.file(),
            app: AppInfo(name: "vault"),
            options: options
        )
        let witness = Witness<Vault, VaultAction>()
        let store = Store(
            initial: Vault(),
            reducer: vaultReducer,
            middleware: [recorder.middleware, Middleware(observer: witness)]
        )
        for action in vaultActions(60, &random) { store.dispatch(action) }
        let recording = try recorder.closeAndRead()
        let names = patterns.map { $0.dropFirst().components(separatedBy: "/") }
        #expect(witness.states.count == 60 * 5 + 1)
        for (position, state) in witness.states {
            let expected = redacted(try NodeEncoder().encode(state), .vault, [], names)
            #expect(try recording.state(at: position) == expected, "\(patterns) at \(position), \(random)")
        }
    }

    @Test("An invalid pattern throws before a file is created")
    func badPattern() throws {
        let options = RecorderOptions(redaction: Redaction(actions: ["password"]))
        let error = expectError(.badRedaction) { try shop(at: scratch.file(), options: options) }
        #expect(
            error?.description.hasPrefix("“password” is no pattern of what to redact: it does not begin with /") == true
        )
        #expect(try scratch.names.isEmpty)
    }

    @Test("A placeholder that does not decode is reported once per type, and recording continues")
    func decodingFailure() throws {
        enum Mode: String, Codable, Sendable { case on, off }
        struct Light: Codable, Sendable { var mode = Mode.off }
        enum Switch: Codable, Sendable { case turn(Mode), other(Mode) }
        let complaints = Complaints()
        var options = complaints.options
        options.redaction = Redaction(states: ["/mode"], actions: ["/turn/_0", RedactedPath("/other/_0", as: "on")])
        let recorder = try Recorder<Light, Switch>(to: scratch.file(), app: AppInfo(name: "light"), options: options)
        let reducer = Reducer<Light, Switch>("light") { state, _ in state.mode = .on }
        let store = Store(initial: Light(), reducer: reducer, middleware: [recorder.middleware])
        for _ in 0..<3 {
            store.dispatch(.turn(.off))
            store.dispatch(.other(.off))
        }
        try recorder.close()
        #expect(complaints.codes == [.unfitPlaceholder, .unfitPlaceholder])
        #expect(complaints.all.map(\.path?.description) == ["/mode", "/turn/_0"])
        #expect(
            complaints.all[1].description.contains("Provide a placeholder: RedactedPath(pattern, as: value)")
        )
        let recording = try Recording(at: scratch.file())
        #expect(recording.actionCount == 6)
        #expect(try recording.action(2).payload == ["other": ["_0": "on"]])
    }

    @Test("Registered actions are redacted by their types, and those of a custom codec by their nodes")
    func codecs() throws {
        struct Pay: Codable, Sendable {
            var card: Vault.Card
            var at: Date
        }
        var registry = ActionRegistry<any Sendable>()
        registry.register(Pay.self) { $0 }
        let own = ActionCodec<any Sendable>(
            encode: { _ in ["Pay": ["card": ["number": "x"], "at": "2026-11-20T15:16:00Z"]] },
            decode: { _ in 1 }
        )
        for (codec, expected) in [
            (
                registry.codec,
                #"{"Pay":{"card":{"number":"[redacted]","kind":"[redacted]","limit":0},"at":"2001-01-01T00:00:00Z"}}"#
            ),
            (own, #"{"Pay":{"card":{},"at":"2001-01-01T00:00:00Z"}}"#),
        ] {
            let scratch = Scratch()
            let options = RecorderOptions(redaction: Redaction(actions: ["/Pay/card", "/Pay/at"]))
            let recorder = try Recorder<Int, any Sendable>(
                to: scratch.file(),
                app: AppInfo(name: "pay"),
                actions: codec,
                options: options
            )
            let store = Store(
                initial: 0,
                reducer: Reducer<Int, any Sendable>("pay") { state, _ in state += 1 },
                middleware: [recorder.middleware]
            )
            store.dispatch(Pay(card: Vault.Card(number: "1"), at: Date()))
            try recorder.close()
            #expect(try Recording(at: scratch.file()).action(1).payload?.json == expected)
        }
    }

    @Test("A recording without redaction has no redaction entry")
    func nothing() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.nothing)
        try recorder.close()
        #expect(try Recording(at: scratch.file()).redaction.isEmpty)
        if Shell.isAvailable {
            #expect(try Shell.query(scratch.file(), "select count(*) from recording where key like 'redact%'") == "0")
        }
    }

    @Test(
        "Opening a file with an invalid redaction entry throws",
        .enabled(if: Shell.isAvailable),
        arguments: [
            "{", "[]", #"{"states":1,"actions":[]}"#, #"{"states":[{"path":"x"}],"actions":[]}"#,
            #"{"states":[{"path":"/**/a/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*"}],"actions":[]}"#,
            #"{"states":[],"actions":[{"path":"x"}]}"#,
        ]
    )
    func hostile(text: String) throws {
        let (recorder, _) = try shop(at: scratch.file())
        try recorder.close()
        _ = try Shell.query(scratch.file(), "insert into recording values ('redaction', '\(text)')", writing: true)
        expectError(.damaged) { try Recording(at: scratch.file()) }
        let saved = scratch.file("saved.hindsight")
        _ = try Recording.examine(at: scratch.file()).salvage(to: saved)
        #expect(try Recording(at: saved).redaction.isEmpty)
    }

    @Test("A log shows neither redacted parts of the state nor the payload of redacted actions")
    func logging() {
        let lines = Guarded<[String]>([])
        let store = Store(
            initial: Vault(),
            reducer: vaultReducer,
            middleware: [.logging(redaction: vaultRedaction) { line in lines.withLock { $0.append(line) } }]
        )
        var random = Seeded(seed: 3)
        for action in vaultActions(40, &random) + [.setPin(Redacted("\u{10005}")), .bump] { store.dispatch(action) }
        let text = lines.withLock { $0 }.joined(separator: "\n")
        #expect(Secret.forms(in: Data(text.utf8)).isEmpty)
        #expect(text.hasSuffix("setPin  /count 40 → 41\nbump  /count 41 → 42"))
    }
}
