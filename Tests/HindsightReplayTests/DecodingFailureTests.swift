import HindsightRecorder
import HindsightRecording
import HindsightStore
import Testing

@testable import HindsightReplay

/// Recordings that do not fit the app that replays them.
@Suite("Recordings of other versions of the app")
struct DecodingFailureTests {
    private let scratch = Scratch()

    private func recorded() throws -> Recording {
        try scratch.record(BankRules().app)
    }

    private func replayError(_ body: () throws -> Void) throws -> ReplayError {
        try #require(#expect(throws: ReplayError.self, performing: body))
    }

    @Test(
        "If steps are to be equal, a renamed, removed, added or moved reducer is reported by name",
        arguments: [
            (names: ["saldo", "audit"], missing: ["balance"], additional: ["saldo"]),
            (names: ["balance"], missing: ["audit"], additional: []),
            (names: ["balance", "audit", "fees"], missing: [], additional: ["fees"]),
            (names: ["audit", "balance"], missing: [], additional: []),
        ]
    )
    func reducers(names: [String], missing: [String], additional: [String]) throws {
        let rules = BankRules()
        func app(_ names: [String]) -> ReplayableApp {
            ReplayableApp(
                "bank",
                initial: Bank(),
                reducer: .combine(names.map { Reducer($0, $0 == "audit" ? rules.audit : rules.balance) })
            )
        }
        let recording = try scratch.record(app(["balance", "audit"]))
        let options = VerificationOptions(level: .steps)
        let error = try replayError { _ = try app(names).verify(recording, options: options) }
        #expect(error.code == .reducersDiffer)
        #expect(error.description.contains("Compare states instead of steps"))
        #expect(error.description.contains("`formerly:`"))
        #expect(error.missingReducers == missing)
        #expect(error.additionalReducers == additional)
        for name in missing + additional { #expect(error.description.contains(name)) }
    }

    @Test("Replaying another app's recording throws an error with its name")
    func otherApp() throws {
        let shop = ReplayableApp("shop", initial: Bank(), reducer: BankRules().reducer)
        let error = try replayError { _ = try shop.verify(recorded()) }
        #expect(error.code == .otherApp)
        #expect(error.recordedApp == "bank")
        #expect(error.app == "shop")
    }

    struct NewBank: Codable, Sendable {
        var balance = ""
    }

    @Test("A state that no longer decodes throws an error with its position and field")
    func undecodableState() throws {
        let app = ReplayableApp("bank", initial: NewBank(), reducer: Reducer<NewBank, BankAction>("x") { _, _ in })
        let recording = try recorded()
        let error = try replayError { _ = try Replayer(of: recording, by: app) }
        #expect(error.code == .undecodableState)
        #expect(error.position == Recording.Position(seq: 0))
        #expect(error.path.map { "\($0)" } == "/balance")
    }

    struct SmallBank: Codable, Sendable {
        var balance = 0
        var interest = 0.0
    }

    @Test("Fields that today's state type does not read are no failure, and are not compared")
    func lostField() throws {
        let reducer = Reducer<SmallBank, BankAction>.combine(
            ["balance", "interest", "statement", "customers", "receipt", "audit"].map { Reducer($0) { _, _ in } }
        )
        let app = ReplayableApp("bank", initial: SmallBank(), reducer: reducer)
        let replayer = try Replayer(of: recorded(), by: app)
        #expect(replayer.form.unshared == ["/statement", "/customers", "/ranking", "/audit"])
        #expect(replayer.form.isCurrent)
        #expect(try replayer.state()["statement"] == nil)
    }

    enum NewAction: Codable, Sendable {
        case deposit(amount: Int)
        case join(name: String)
        case withdraw(amount: String)
    }

    @Test("An action that no longer decodes throws an error with its number, type and field")
    func undecodableAction() throws {
        let reducer = Reducer<Bank, NewAction>("balance") { _, _ in }
        let replayer = try Replayer(of: recorded(), by: ReplayableApp("bank", initial: Bank(), reducer: reducer))
        #expect(try replayer.next()?.recorded.seq == 1)
        #expect(try replayer.next()?.recorded.seq == 2)
        let error = try #require(#expect(throws: RecordingError.self) { try replayer.next() })
        #expect(error.code == .undecodableAction)
        #expect(error.seq == 3)
        #expect(error.type == "withdraw")
        #expect(error.path.map { "\($0)" } == "/withdraw/amount")
        #expect(error.description.hasPrefix(try #require(error.file)))
        #expect(replayer.position == Recording.Position(seq: 2))
    }

    enum OtherAction: Codable, Sendable {
        case deposits(amount: Int)
        case spend(amount: Int)
    }

    @Test("An unknown action throws an error with its file, its number and a similar one")
    func unknownAction() throws {
        let reducer = Reducer<Bank, OtherAction>("balance") { _, _ in }
        let recording = try recorded()
        let replayer = try Replayer(of: recording, by: ReplayableApp("bank", initial: Bank(), reducer: reducer))
        let error = try #require(#expect(throws: RecordingError.self) { try replayer.next() })
        #expect(error.code == .undecodableAction)
        #expect(error.file == recording.url.path)
        #expect(error.seq == 1)
        #expect(error.type == "deposit")
        #expect(error.allowed == ["deposits"])
        #expect(error.description.contains("at action 1: this build has no action type of that name"))
    }
}
