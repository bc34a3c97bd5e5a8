import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

private struct Account: Codable, Sendable {
    var mail: String?
    var mailLength = 0
    @Redacted var pin: String?
    var tries = 0
    var log: [Entry] = []

    struct Entry: Codable, Sendable {
        var text: String
        var count: Int
    }
}

private enum AccountAction: Codable, Sendable {
    case setMail(String)
    case setPin(Redacted<String>)
    case note(String)
}

/// - Parameter derives: Whether a visible path is derived from a redacted one.
private func accountApp(derives: Bool = false, pinIsKept: Bool = true, tries: Int = 1) -> ReplayableApp {
    ReplayableApp(
        "account",
        initial: Account(),
        reducer: Reducer<Account, AccountAction>.combine(
            Reducer("mail") { state, action in
                guard case .setMail(let mail) = action else { return }
                state.mail = mail.contains("@") ? mail : nil
                if derives { state.mailLength = mail.utf8.count }
            },
            Reducer("pin") { state, action in
                guard case .setPin(let pin) = action else { return }
                state.pin = pinIsKept ? pin.wrappedValue : nil
                state.tries += tries
            },
            Reducer("log") { state, action in
                if case .note(let text) = action { state.log.insert(.init(text: text, count: state.tries), at: 0) }
            }
        )
    )
}

@Suite("Replaying redacted recordings") struct RedactionTests {
    private let scratch = Scratch()

    private static let redaction = Redaction(states: ["/mail", "/log/*/text"], actions: ["/setMail/_0", "/note/_0"])
    private static let actions: [Node] = [
        ["setMail": ["_0": "zoe@example.org"]], ["note": ["_0": "first"]], ["setPin": ["_0": "1234"]],
        ["note": ["_0": "second"]], ["setMail": ["_0": "eva@example.org"]],
    ]

    private func recorded(
        _ app: ReplayableApp,
        _ scratch: Scratch,
        _ redaction: Redaction = RedactionTests.redaction
    ) throws -> Recording {
        let file = scratch.file("a.hindsight")
        let options = RecorderOptions(redaction: redaction)
        let session = try app.record(to: file, options: options)
        for action in Self.actions { try session.dispatch(action, origin: Origin(file: "session", line: 1)) }
        try session.close()
        return try Recording(at: file)
    }

    @Test("Verification compares visible values, and lists the redacted ones")
    func equal() throws {
        let recording = try recorded(accountApp(), scratch)
        let result = try accountApp().verify(recording)
        #expect(result.matches)
        #expect(result.actions == 5)
        #expect(result.redacted == ["/mail", "/log/*/text", "/pin"])
        #expect(recording.redaction.actions == ["/setMail/_0", "/note/_0", "/setPin/_0"])
        #expect(result.initialDifference == nil)
        // The placeholder is no mail address, so the mail is nil today: a difference in a path that is not compared.
        let replayer = try Replayer(of: recording, by: accountApp())
        while try replayer.next() != nil {}
        #expect(try replayer.state()["mail"] == nil)
        #expect(try recording.state(at: recording.end)["mail"] == "[redacted]")
    }

    @Test("A changed rule for redacted values is no divergence, but one for visible values is")
    func rules() throws {
        let recording = try recorded(accountApp(), scratch)
        #expect(try accountApp(pinIsKept: false).verify(recording).matches)
        let divergence = try #require(try accountApp(tries: 2).verify(recording).divergence)
        #expect(divergence.seq == 3 && divergence.path.description == "/tries")
        #expect(divergence.expected == 1 && divergence.actual == 2)
        // The difference in redacted values is not reported.
        #expect(divergence.difference.operations.map(\.path.description) == ["/tries"])
    }

    @Test(
        "A divergence that no placeholder changes is not called derived from a redacted value",
        arguments: VerificationOptions.Level.allCases
    )
    func independent(level: VerificationOptions.Level) throws {
        let recording = try recorded(accountApp(), scratch)
        let options = VerificationOptions(level: level)
        let divergence = try #require(try accountApp(tries: 2).verify(recording, options: options).divergence)
        #expect(divergence.path.description == "/tries")
        #expect(divergence.cause == .other)
        #expect(divergence.redacted.isEmpty)
        #expect(divergence.explanation?.contains("redacted") == false)
    }

    @Test("If no other placeholder decodes, the explanation leaves the cause open")
    func untried() throws {
        enum Role: String, Codable, Sendable { case guest, admin }
        enum Promotion: Codable, Sendable { case set(Role) }
        struct Member: Codable, Sendable {
            var role = Role.guest
            var isAdmin = false
        }
        let app = ReplayableApp(
            "members",
            initial: Member(),
            reducer: Reducer<Member, Promotion>("role") { member, action in
                guard case .set(let role) = action else { return }
                member.role = role
                member.isAdmin = role == .admin
            }
        )
        let file = scratch.file("a.hindsight")
        var options = RecorderOptions()
        options.redaction = Redaction(
            states: [RedactedPath("/role", as: "guest")],
            actions: [RedactedPath("/set/_0", as: "guest")]
        )
        let session = try app.record(to: file, options: options)
        try session.dispatch(["set": ["_0": "admin"]], origin: Origin(file: "session", line: 1))
        try session.close()
        let divergence = try #require(try app.verify(Recording(at: file)).divergence)
        #expect(divergence.path.description == "/isAdmin")
        #expect(divergence.cause == .other)
        #expect(divergence.redacted == ["action /set/_0"])
        #expect(divergence.explanation?.contains("or the value is derived from a redacted one") == true)
    }

    @Test(
        "A value that is derived from a redacted one diverges, and the cause says so",
        arguments: VerificationOptions.Level.allCases
    )
    func derived(level: VerificationOptions.Level) throws {
        let recording = try recorded(accountApp(derives: true), scratch)
        let options = VerificationOptions(level: level)
        let divergence = try #require(
            try accountApp(derives: true).verify(recording, options: options).divergence
        )
        #expect(divergence.seq == 1 && divergence.path.description == "/mailLength")
        #expect(divergence.cause == .redaction)
        #expect(divergence.redacted == ["action /setMail/_0"])
        var wider = Self.redaction
        wider.states.append("/mailLength")
        let other = Scratch()
        #expect(try accountApp(derives: true).verify(recorded(accountApp(derives: true), other, wider)).matches)
    }

    @Test("A field that is redacted only in today's build is not compared")
    func newlyHidden() throws {
        struct Old: Codable, Sendable { var pin: String? = "1" }
        struct New: Codable, Sendable { @Redacted var pin: String? = "1" }
        let old = ReplayableApp("a", initial: Old(), reducer: Reducer<Old, Int>("a") { $0.pin = "\($1)" })
        let file = scratch.file("a.hindsight")
        let session = try old.record(to: file)
        try session.dispatch(7, origin: Origin(file: "session", line: 1))
        try session.close()
        let new = ReplayableApp("a", initial: New(), reducer: Reducer<New, Int>("a") { $0.pin = "\($1)" })
        let result = try new.verify(Recording(at: file))
        #expect(result.matches)
        #expect(result.redacted == ["/pin"])
    }
}
