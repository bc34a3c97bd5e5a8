import Foundation
import HindsightRecorder
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightCLI

/// `verify` with a tool whose reducers have changed since the recording.
@Suite struct VerifyTests {
    struct Shelf: Codable, Sendable {
        var values: [String: Int] = [:]
        var total = 0
    }

    enum ShelfAction: Codable, Sendable {
        case set(name: String, value: Int)
    }

    typealias ShelfReducer = Reducer<Shelf, ShelfAction>

    static func setting(fixed: Bool) -> ShelfReducer {
        ShelfReducer("values") { shelf, action in
            guard case .set(let name, let value) = action else { return }
            shelf.values[name] = fixed ? max(0, value) : value
        }
    }
    static func addUp(_ shelf: inout Shelf, _ action: ShelfAction) { shelf.total = shelf.values.values.reduce(0, +) }
    static let totals = ShelfReducer("totals") { addUp(&$0, $1) }
    static let sums = ShelfReducer("sums", formerly: "totals") { addUp(&$0, $1) }
    static let audit = ShelfReducer("audit") { _, _ in }

    static func app(_ reducers: ShelfReducer...) -> ReplayableApp {
        ReplayableApp("shelf", initial: Shelf(), reducer: .combine(reducers))
    }

    /// Records 20 actions, three of which set a negative value, and runs `verify` on the file.
    private func verify(_ words: String..., by app: ReplayableApp) throws -> (code: ExitCode, harness: ToolHarness) {
        let scratch = Scratch()
        let file = scratch.file()
        let session = try Self.app(Self.setting(fixed: false), Self.totals).record(to: file)
        for index in 1...20 {
            let value = [5, 9, 14].contains(index) ? -index : index
            let payload: Node = ["set": ["name": .string("item-\(index % 4)"), "value": .int(value)]]
            try session.dispatch(payload, origin: Origin(file: "session", line: index))
        }
        try session.close()
        let harness = ToolHarness(apps: [app])
        return (harness.run(["verify"] + words + [file.path]), harness)
    }

    private func json(_ harness: ToolHarness) throws -> Node {
        try Node(json: harness.text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test func `Added and renamed reducers are named, and states compared`() throws {
        let today = Self.app(Self.setting(fixed: false), Self.sums, Self.audit)
        let (code, harness) = try verify(by: today)
        #expect(code == .fine, "\(harness.errorText)")
        let line = "  reducers 1 added (audit), 1 renamed (totals → sums): compared by states\n"
        #expect(harness.text.contains(line), "\(harness.text)")
        let node = try json(try verify("--json", by: today).harness)
        #expect(node["equal"] == true && node["level"] == "states")
        #expect(node["reducers"]?["added"] == ["audit"])
        #expect(node["reducers"]?["renamed"] == [["totals", "sums"]])
        let renamed = try verify(by: Self.app(Self.setting(fixed: false), Self.sums))
        #expect(renamed.code == .fine && renamed.harness.text.contains("compared by steps"))
    }

    @Test func `verify says that it did not compare the action in which the recorded process ended`() throws {
        let file = Fixtures.recording("crashed/checkout-crash").path
        let harness = ToolHarness().running(["verify", "--ignore", "/cart/**", file])
        for words in [
            "11 actions, 99 steps, up to the crash\n",
            "  crash    action 12, in which the recorded process ended, was not run or compared; ",
            "replay \(file)' runs it\n",
        ] { #expect(harness.text.contains(words), "\(words): \(harness.text)") }
        let part = ToolHarness().running(["verify", "--ignore", "/cart/**", "--up-to", "11", file])
        #expect(!part.text.contains("crash    "), "\(part.text)")
        let json = ToolHarness().running(["verify", "--json", "--ignore", "/cart/**", file])
        #expect(try self.json(json)["unfinished"] == 12)
    }

    @Test func `--level steps requires the recorded reducers`() throws {
        let today = Self.app(Self.setting(fixed: false), Self.sums, Self.audit)
        let (code, harness) = try verify("--level", "steps", by: today)
        #expect(code == .doesNotFit, "\(harness.text)")
        for words in ["audit", "sums", "formerly:", "Compare states"] {
            #expect(harness.errorText.contains(words), "\(harness.errorText)")
        }
    }

    @Test func `--isolated prints a table of the kinds of differences`() throws {
        let (code, harness) = try verify("--isolated", by: Self.app(Self.setting(fixed: true), Self.totals))
        #expect(code == .difference)
        for words in [
            "at action 5 of 20", "/values/item-1", "  1 kind of difference in 3 of 20 actions:",
            "    3  set  values  /values/*  first at 5.1\n",
        ] {
            #expect(harness.text.contains(words), "\(words): \(harness.text)")
        }
    }

    @Test func `--chained prints what differs at the end, and when the replay agreed`() throws {
        let today = Self.app(Self.setting(fixed: true), Self.totals)
        let harness = try verify("--chained", "--up-to", "14", by: today).harness
        for words in [
            "agreed with the recording again after action 13", "differences at the end", "/values/item-2  -14 → 0",
            "compared up to action 14",
        ] {
            #expect(harness.text.contains(words), "\(words): \(harness.text)")
        }
        let node = try json(try verify("--json", "--chained", by: today).harness)
        #expect(node["divergenceCount"] == 2 && node["divergedActions"] == 2)
        #expect(node["agreements"] == [13, 18] && node["finalDifference"] == .null)
        #expect(node["classes"]?[0]?["seqs"] == [5, 14])
        #expect(node["classes"]?[0]?["first"]?["expected"] == -5)
    }

    @Test func `By states, a divergence of an added reducer says why the reducer is not known`() throws {
        let wrong = ShelfReducer("wrong") { shelf, _ in shelf.total += 1 }
        let (code, harness) = try verify(by: Self.app(Self.setting(fixed: false), Self.totals, wrong))
        #expect(code == .difference)
        for words in ["not known: the reducers differ from the recorded ones", "/total", "1 added (wrong)"] {
            #expect(harness.text.contains(words), "\(words): \(harness.text)")
        }
    }

    @Test func `Ignored and tolerated paths are listed, and so are patterns that match nothing`() throws {
        let today = Self.app(Self.setting(fixed: true), Self.totals)
        let (code, harness) = try verify(
            "--ignore",
            "/values/*",
            "--ignore",
            "/valeus",
            "--tolerance",
            "/total=100",
            by: today
        )
        #expect(code == .fine, "\(harness.text)")
        for words in ["ignored  /values/*, /valeus", "tolerant /total", "unused   nothing is at /valeus"] {
            #expect(harness.text.contains(words), "\(words): \(harness.text)")
        }
        #expect(try verify("--ignore", "/values/*", "--tolerance", "/total=1%", by: today).code == .difference)
    }

    @Test func `the help names each member of the JSON`() throws {
        let (code, harness) = try verify("--json", by: Self.app(Self.setting(fixed: true), Self.totals))
        #expect(code == .difference)
        let answer = try JSONSerialization.jsonObject(with: Data(harness.text.utf8))
        let object = try #require(answer as? [String: Any])
        let divergence = try #require(object["divergence"] as? [String: Any])
        let words = Set(VerifyCommand.syntax.jsonShape.split { !$0.isLetter }.map(String.init))
        for name in Array(object.keys) + Array(divergence.keys) {
            #expect(words.contains(name), "\(name)")
        }
    }

    @Test func `--final compares only the state at the end`() throws {
        let today = Self.app(Self.setting(fixed: true), Self.totals)
        #expect(try verify("--final", by: today).code == .fine)
        let (code, harness) = try verify("--final", "--up-to=14", by: today)
        #expect(code == .difference)
        #expect(harness.text.contains("only the state at the end"), "\(harness.text)")
    }

    @Test(
        arguments: [
            (["--isolated", "--chained"], "--chained"), (["--ignore", "values"], "/items/0/title"),
            (["--ignore", ""], "/items/0/title"), (["--tolerance", "/total"], "0.1%"),
            (["--tolerance", "/total=-1"], "0.1%"), (["--level", "all"], "states or steps"),
        ]
    )
    func `Options that do not fit are a usage error`(words: [String], message: String) {
        let harness = ToolHarness(apps: [Self.app(Self.totals)]).running(["verify"] + words + ["a.hindsight"], .usage)
        #expect(harness.errorText.contains(message), "\(harness.errorText)")
    }

    @Test func `--up-to takes whole actions`() throws {
        let today = Self.app(Self.setting(fixed: true), Self.totals)
        #expect(try verify("--up-to", "4", by: today).code == .fine)
        let (code, harness) = try verify("--up-to", "5.1", by: today)
        #expect(code == .usage && harness.errorText.contains("within an action"), "\(harness.errorText)")
    }
}
