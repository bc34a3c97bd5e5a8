import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

// The examples of the article on redaction and of the README, as they stand there.

private struct Login: Codable, Sendable {
    var name = ""
    @Redacted var password = ""
}

private enum AppAction: Codable, Sendable {
    case logIn(name: String, password: Redacted<String>)
}

private enum Role: String, Codable, Sendable, Redactable {
    case admin, guest
    func redacted() -> Role { .guest }
}

private struct AppState: Codable, Sendable {
    struct User: Codable, Sendable {
        var email = "zoe@example.org"
        var role = "admin"
        @Redacted var rank = Role.admin
    }
    struct Card: Codable, Sendable { var number = "4111" }

    var user = User()
    var cards = [Card()]
    var login = Login(name: "zoe", password: "hunter2")
}

@Suite("The documentation of redaction") struct RedactionDocumentationTests {
    @Test("Its examples do what they say")
    func examples() throws {
        let scratch = try Scratch()
        let url = scratch.file()
        var options = RecorderOptions()
        options.redaction = Redaction(
            states: ["/user/email", "/cards/*/number", RedactedPath("/user/role", as: "guest")],
            actions: ["/logIn/password"]
        )
        let recorder = try Recorder<AppState, AppAction>(to: url, app: AppInfo(name: "bank"), options: options)
        let reducer = Reducer<AppState, AppAction>("login") { state, action in
            if case .logIn(let name, let password) = action {
                state.login = Login(name: name, password: password.wrappedValue)
            }
        }
        let store = Store(initial: AppState(), reducer: reducer, middleware: [recorder.middleware])
        store.dispatch(.logIn(name: "eva", password: Redacted("hunter3")))
        #expect(store.state.login.password == "hunter3")
        try recorder.close()
        let recording = try Recording(at: url)
        #expect(
            try recording.state(at: recording.end).json
                == #"{"user":{"email":"[redacted]","role":"guest","rank":"guest"},"#
                + #""cards":[{"number":"[redacted]"}],"login":{"name":"eva","password":"[redacted]"}}"#
        )
        #expect(try recording.action(1).payload == ["logIn": ["name": "eva", "password": "[redacted]"]])
        #expect(recording.redaction.states.count == 5)
    }
}
