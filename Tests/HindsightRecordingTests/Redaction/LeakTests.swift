import Foundation
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Leaks of redacted values") struct LeakTests {
    private let scratch = Scratch()

    private func vault(
        at url: URL,
        _ options: RecorderOptions
    ) throws -> (Recorder<Vault, VaultAction>, Store<Vault, VaultAction>) {
        let recorder = try Recorder<Vault, VaultAction>(to: url, app: AppInfo(name: "vault"), options: options)
        var initial = Vault()
        var random = Seeded(seed: 1)
        initial.diary += Secret.text(using: &random)
        initial.pin = Secret.text(using: &random)
        initial.hints[Secret.text(using: &random)] = 1
        initial.cards = [Vault.Card(number: Secret.text(using: &random))]
        return (recorder, Store(initial: initial, reducer: vaultReducer, middleware: [recorder.middleware]))
    }

    /// The files with secrets, and the forms of each.
    private func leaks(in scratch: Scratch) throws -> [String: [String]] {
        try scratch.contents().mapValues(Secret.forms).filter { !$0.value.isEmpty }
    }

    @Test("Redacted values reach no file, neither during recording nor after closing", arguments: Seeded.runs(4))
    func recorded(random: Seeded) throws {
        var random = random
        let complaints = Complaints()
        var options = complaints.options
        options.redaction = vaultRedaction
        // Many whole states.
        options.keyframeFloor = 64
        let (recorder, store) = try vault(at: scratch.file(), options)
        let secret = Secret.text(using: &random)
        for action in vaultActions(15, &random) + [.broken(Broken(secret: secret))] { store.dispatch(action) }
        #expect(try scratch.names.contains { $0.hasSuffix("-ahead") })
        #expect(try leaks(in: scratch).isEmpty, "\(random)")
        try recorder.flush()
        #expect(try leaks(in: scratch).isEmpty, "\(random)")
        store.travel(toState: store.state)
        for action in vaultActions(200, &random) { store.dispatch(action) }
        try recorder.close()
        #expect(try scratch.names == ["session.hindsight"])
        #expect(try leaks(in: scratch).isEmpty, "\(random)")
        #expect(complaints.codes == [.unencodableAction], "\(random)")
        let reported = complaints.all.map(\.description).joined()
        #expect(Secret.forms(in: Data(reported.utf8)).isEmpty)
        let recording = try Recording(at: scratch.file())
        #expect(try recording.action(16).problem?.hasSuffix("since they could reveal a redacted value.") == true)
        #expect(recording.redaction.given == vaultRedaction)
        #expect(recording.redaction.stateFields == ["/pin"])
    }

    @Test("An error about too deep nesting keeps its reason, since it contains no value")
    func tooDeep() throws {
        let redactor = try Redactor([("/pin", nil)])
        func reported(_ code: TreeError.Code) -> String {
            let cause = TreeError(code, at: NodePath(["tree", "left"]), "secret")
            return RecordingError(.unencodableState, file: "a", cause: cause).withoutValues(redactor).description
        }
        #expect(reported(.tooDeep).contains("it is nested deeper than 512 levels"))
        #expect(reported(.notEncodable).contains("the details are withheld"))
        #expect(!reported(.tooDeep).contains("secret") && !reported(.notEncodable).contains("secret"))
    }

    @Test("The search finds unredacted secrets in each form")
    func control() throws {
        let (recorder, store) = try vault(at: scratch.file(), RecorderOptions())
        var random = Seeded(seed: 2)
        for action in vaultActions(200, &random) { store.dispatch(action) }
        #expect(try leaks(in: scratch).keys.contains("session.hindsight-ahead"))
        try recorder.close()
        #expect(try Set(["UTF-8", "base64"]).isSubset(of: leaks(in: scratch)["session.hindsight"] ?? []))
        for length in 0..<3 {
            let text = Data(String(repeating: "-", count: length).utf8) + Data("\u{10000}\u{1003F}".utf8)
            #expect(Secret.forms(in: Data(text.base64EncodedString().utf8)) == ["base64"])
        }
        #expect(Secret.forms(in: Data(#""\uD800\udc3f""#.utf8)) == ["JSON escapes"])
        #expect(Secret.forms(in: Data("a%F0%90%80%80".utf8)) == ["percent escapes"])
        #expect(Secret.forms(in: Data("F0908080".utf8)) == ["hexadecimal"])
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            #expect(Secret.forms(in: try #require("\u{10000}\u{10001}".data(using: encoding))) == ["UTF-16"])
        }
    }

    @Test("Redacted values reach no file if the process is killed at any moment", arguments: [1, 2, 3])
    func killed(round: Int) throws {
        let child = try Child(recordingTo: scratch.file(), end: "secrets")
        _ = child.killAndRead(after: .random(in: 0...30_000))
        #expect(try leaks(in: scratch).isEmpty)
        do {
            let recording = try Recording(at: scratch.file())
            #expect(recording.lastFinished > 0)
            #expect(recording.redaction.states == ["/mail", "/pin"])
            #expect(try recording.action(1).payload == "[redacted]")
            #expect(
                try recording.state(at: recording.start) == ["mail": "[redacted]", "pin": "[redacted]", "count": 0]
            )
        }
        _ = try Recording.recover(at: scratch.file())
        #expect(try leaks(in: scratch).isEmpty)
    }

    @Test("Redacted values reach no file if states hold class instances")
    func instances() throws {
        final class Box: Codable, @unchecked Sendable {
            // Sound: one thread uses it.
            var secret: String
            init(_ secret: String) { self.secret = secret }
        }
        struct Boxed: Codable, Sendable {
            var box = Box("\u{10001}")
            var list: [String] = []
        }
        var options = RecorderOptions(redaction: Redaction(states: ["/box/secret", "/list/*"], actions: [""]))
        options.keyframeFloor = 16
        let recorder = try Recorder<Boxed, String>(to: scratch.file(), app: AppInfo(name: "box"), options: options)
        let reducer = Reducer<Boxed, String>("box") { state, action in
            state.box.secret += action
            state.list.append(action)
        }
        let store = Store(initial: Boxed(), reducer: reducer, middleware: [recorder.middleware])
        for _ in 0..<50 { store.dispatch("\u{10002}\u{10003}") }
        #expect(try leaks(in: scratch).isEmpty)
        try recorder.close()
        #expect(try leaks(in: scratch).isEmpty)
        let recording = try Recording(at: scratch.file())
        // The type of an action that is only a text is that text.
        #expect(try recording.action(1).type == "[redacted]")
        #expect(try recording.state(at: recording.end)["list"]?[49] == "[redacted]")
    }

    @Test("Redacted values reach no file if an encoding error contains them")
    func unencodable() throws {
        struct Fragile: Codable, Sendable {
            var values: [Broken] = []
            var text = ""
        }
        let complaints = Complaints()
        var options = complaints.options
        options.redaction = Redaction(states: ["/text"])
        let recorder = try Recorder<Fragile, Int>(to: scratch.file(), app: AppInfo(name: "fragile"), options: options)
        let reducer = Reducer<Fragile, Int>("fragile") { state, _ in state.values.append(Broken(secret: "\u{10004}")) }
        let store = Store(initial: Fragile(), reducer: reducer, middleware: [recorder.middleware])
        store.dispatch(1)
        #expect(throws: RecordingError.self) { try recorder.close() }
        #expect(complaints.codes == [.unencodableState])
        #expect(try leaks(in: scratch).isEmpty)
        let reason = try #require(try Recording(at: scratch.file()).stopReason)
        #expect(reason.contains("the state cannot be kept exactly: the details are withheld"), "\(reason)")
    }
}
