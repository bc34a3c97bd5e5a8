import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

// The examples of the article on redaction, and the README's first example.

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
    @Test("The examples work as documented")
    func examples() throws {
        let scratch = Scratch()
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

    @Test("The README's first example redacts the password")
    func firstExample() throws {
        struct AppState: Codable, Sendable {
            var user = ""
            var password = ""
        }
        enum AppAction: Codable, Sendable {
            case logIn(user: String, password: String)
        }

        let scratch = Scratch()
        let url = scratch.file()
        let options = RecorderOptions(
            overwrite: true,
            redaction: Redaction(states: ["/password"], actions: ["/logIn/password"])
        ) { error in print("not recorded: \(error)") }
        let recorder = Recorder<AppState, AppAction>.start(
            to: url,
            app: AppInfo(name: "myapp", version: "1.0"),
            options: options
        )
        let reducer = Reducer<AppState, AppAction>("session") { state, action in
            switch action {
            case .logIn(let user, let password): state = AppState(user: user, password: password)
            }
        }
        let store = Store(initial: AppState(), reducer: reducer, middleware: [recorder.middleware])
        store.dispatch(.logIn(user: "zoe", password: "hunter2"))
        try recorder.close()

        let recording = try Recording(at: url)
        #expect(try recording.state(at: recording.end).json == #"{"user":"zoe","password":"[redacted]"}"#)
        #expect(try recording.action(1).payload == ["logIn": ["user": "zoe", "password": "[redacted]"]])
        #expect(try Data(contentsOf: url).firstRange(of: Data("hunter2".utf8)) == nil)
    }
}
