import Foundation
import HindsightRecording
import HindsightTree
import Testing

@testable import HindsightCLI

@Suite struct WhatIfCommandTests {
    private let scratch = Scratch()

    private static let checkout = Fixtures.recording("checkout").path
    private static let coupon = #"{"ApplyCoupon":{"code":"FIVER"}}"#

    /// The lines of an answer, without the indentation.
    private func lines(_ harness: ToolHarness) -> [String] {
        harness.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `What if the coupon had not been applied`() throws {
        let recording = try Recording(at: URL(filePath: Self.checkout))
        #expect(try recording.action(22).payload == Node(json: Self.coupon))
        let last = recording.actionCount
        let harness = ToolHarness()
        let code = harness.run(["whatif", Self.checkout, "--skip", "22"])
        #expect(harness.errorText == "")
        let lines = lines(harness)
        #expect(code == (lines[0].hasPrefix("same") ? .fine : .difference))
        #expect(lines[0].contains("checkout.hindsight"), "\(harness.text)")
        #expect(lines[1] == #"skipped  22  ApplyCoupon(code: "FIVER")"#)
        #expect(lines[2].hasPrefix("first    after 22 (here 21), in coupons: /coupons/applied"), "\(lines[2])")
        // The payment of exactly the sum that was due is another one now.
        #expect(lines[3].hasPrefix("then     "), "\(lines[3])")
        #expect(lines.contains("numbers  23 to \(last) are 22 to \(last - 1) here"), "\(harness.text)")
        #expect(lines.contains("note     this is what the reducers alone would do: no middleware ran"))
        #expect(lines.last?.hasSuffix("--skip 22 -o what-if.hindsight") == true, "\(harness.text)")
        let atEnd = ToolHarness()
        _ = atEnd.run(["whatif", Self.checkout, "--skip", "-0s"])
        #expect(atEnd.text.contains("--skip -0s -o what-if.hindsight"), "\(atEnd.text)\(atEnd.errorText)")
    }

    @Test(arguments: ["--skip=12", "--edit=12=\(coupon)", "--insert=12=\(coupon)"])
    func `Changes after the last recorded state are not said to have no effect`(change: String) throws {
        let crashed = Fixtures.recording("crashed/checkout-crash").path
        let harness = ToolHarness().running(["whatif", crashed, change])
        let line = lines(harness)[0]
        #expect(line.hasPrefix("unknown  "), "\(harness.text)")
        #expect(line.hasSuffix("  the last recorded state, after 11, is before the first change"), "\(harness.text)")
        let answer = ToolHarness().running(["whatif", crashed, change, "--json"])
        #expect(try Node(json: answer.text)["equal"] == .null)
    }

    @Test func `Long texts of an edited action are shown around their difference`() throws {
        let file = scratch.file("long.hindsight")
        let long = String(repeating: "a", count: 200)
        func action(_ end: String) -> String { #"{"add":{"title":"\#(long)\#(end)","tags":["a"]}}"# }
        let recorder = ToolHarness(input: action("A") + "\n")
        try #require(recorder.run(["record", "--app", "todo", file.path]) == .fine, "\(recorder.errorText)")
        let harness = ToolHarness().running(["whatif", file.path, "--edit", "1=\(action("B"))"], .difference)
        #expect(lines(harness)[2] == #"/add/title  "…aaaaaaaaA" → "…aaaaaaaaB""#, "\(harness.text)")
    }

    @Test func `The output is a recording that names its parent`() throws {
        for name in ["out.hindsight", "out.jsonl"] {
            let output = scratch.file(name).path
            let words = ["whatif", Self.checkout, "--drop-type", "ApplyCoupon", "--move=30=start", "-o", output]
            let harness = ToolHarness()
            #expect([.fine, .difference].contains(harness.run(words)), "\(harness.errorText)")
            #expect(harness.text.contains(" to \(output)."), "\(harness.text)")
            #expect(ToolHarness().run(["verify", output]) == .fine)
            let info = ToolHarness().running(["info", output])
            let line = info.text.split(separator: "\n").first { $0.hasPrefix("what-if") }
            #expect(
                line == "what-if   of checkout.hindsight, after action 0: drop-type ApplyCoupon, move 30=0",
                "\(info.text)"
            )
            #expect(ToolHarness().run(["doctor", output]) == .fine)
            let again = ToolHarness()
            #expect(again.run(words) == .usage && again.errorText.contains("--force"))
            #expect([.fine, .difference].contains(ToolHarness().run(words + ["--force", "--json"])))
        }
        #expect(try scratch.names.count == 2)
    }

    @Test func `The object says the same as the text`() throws {
        let harness = ToolHarness()
        _ = harness.run(["whatif", Self.checkout, "--skip", "22", "--json"])
        let node = try Node(json: harness.text)
        #expect(node["edits"] == ["skip 22"] && node["kept"] == 21)
        #expect(node["first"]?["position"] == 22 && node["first"]?["name"] == "coupons")
        let last = try Recording(at: URL(filePath: Self.checkout)).actionCount
        #expect(node["numbers"] == [["recorded": [23, .int(last)], "changed": [22, .int(last - 1)]]])
        #expect(node["output"] == .null && node["unfinished"] == .null)
    }

    /// The actions that expressions select, by their types and payloads alone.
    @Test func `An expression selects the actions that are left out`() throws {
        let recording = try Recording(at: URL(filePath: Self.checkout))
        let refunds = try (1...recording.actionCount).filter { try recording.action($0).type == "Refund" }
        try #require(refunds.count > 1)
        let expected = ToolHarness()
        let all = expected.run(["whatif", Self.checkout, "--json"] + refunds.flatMap { ["--skip", "\($0)"] })
        let harness = ToolHarness()
        let code = harness.run(["whatif", Self.checkout, "--when", "type = 'Refund'", "--json"])
        #expect(code == all && harness.errorText == "", "\(harness.errorText)")
        let (left, right) = (try Node(json: expected.text), try Node(json: harness.text))
        #expect(right["edits"] == ["when type = 'Refund'"])
        for key in ["kept", "first", "reaction", "end", "difference", "numbers"] { #expect(left[key] == right[key]) }

        let text = ToolHarness()
        #expect(text.run(["whatif", Self.checkout, "--when", "reducer = 'audit' and type = 'Refund'"]) == all)
        #expect(text.text.contains("skipped  \(refunds.count) actions by when "), "\(text.text)")
        #expect(text.text.contains(" -o what-if.hindsight"))
        // It was true at the start, and after no action.
        let none = ToolHarness().running(["whatif", Self.checkout, "--when", "seq = 0"])
        #expect(none.text.contains("skipped  none by when seq = 0"), "\(none.text)")
    }

    @Test func `An action is read from a file`() throws {
        let file = scratch.file("action.json")
        try Data((Self.coupon + "\n").utf8).write(to: file)
        for option in ["--edit", "--insert"] {
            let (inline, read) = (ToolHarness(), ToolHarness())
            let code = inline.run(["whatif", Self.checkout, option, "25=\(Self.coupon)", "--json"])
            #expect(read.run(["whatif", Self.checkout, option, "25=@\(file.path)", "--json"]) == code)
            #expect(!inline.text.isEmpty && inline.text == read.text, "\(read.errorText)")
        }
        try Data([0xFF]).write(to: scratch.file("bytes"))
        for (name, reason) in [("none", "cannot be read"), ("", "no plain file"), ("bytes", "not UTF-8")] {
            let harness = ToolHarness()
            let path = scratch.file(name).path
            #expect(harness.run(["whatif", Self.checkout, "--edit", "25=@\(path)"]) == .badFile)
            #expect(harness.errorText.contains(reason), "\(harness.errorText)")
        }
    }

    @Test func `Without a change, nothing differs`() {
        let harness = ToolHarness().running(["whatif", Self.checkout])
        #expect(harness.text.hasSuffix("nothing is changed, and the end is the recorded one\n"), "\(harness.text)")
    }

    @Test func `A position may be a note with an equals sign`() throws {
        let file = scratch.file("c.hindsight")
        try FileManager.default.copyItem(atPath: Self.checkout, toPath: file.path)
        for (name, position) in [("total=5", "4"), ("= 7", "9"), ("total", "12")] {
            try Recording.addNote(name, at: position, of: file)
        }
        let edits: [(option: String, value: String, means: String)] = [
            ("--edit", "total=5=\(Self.coupon)", "4=\(Self.coupon)"),
            ("--edit", "total= \(Self.coupon)", "12= \(Self.coupon)"),
            ("--insert", "total=5=\(Self.coupon)", "4=\(Self.coupon)"),
            ("--insert", "= 7=\(Self.coupon)", "9=\(Self.coupon)"),
            ("--move", "total=5=20", "4=20"), ("--move", "total=5== 7", "4=9"), ("--move", "20=total=5", "20=4"),
            ("--move", "total=20", "12=20"),
        ]
        for edit in edits {
            let (named, numbered) = (ToolHarness(), ToolHarness())
            _ = named.run(["whatif", file.path, "\(edit.option)=\(edit.value)", "--json"])
            _ = numbered.run(["whatif", file.path, "\(edit.option)=\(edit.means)", "--json"])
            #expect(named.errorText == "" && !named.text.isEmpty, "\(edit): \(named.errorText)")
            #expect(named.text == numbered.text, "\(edit)")
        }
    }

    private static let mistakes: [(words: [String], says: [String])] = [
        (["--skip", "0"], ["--skip 0: position 0 is before the first action.", "Give an action from 1 to"]),
        (["--skip", "999"], ["999"]),
        (["--skip", "4.2"], ["--skip 4.2 lies within an action", "Use --skip 4."]),
        (["--edit", "4"], ["--edit \"4\" is not valid", "a position and an action"]),
        (["--edit", "4={"], ["--edit 4: not JSON"]),
        (
            ["--edit", #"4={"ApplyCupon":{"code":"X"}}"#],
            ["--edit 4: not an action of checkout", "Did you mean ApplyCoupon?"]
        ),
        (
            ["--insert", #"end={"AddLine":{"sku":"TEA-001","quantity":"two"}}"#],
            ["--insert end", "quantity", "Action 1 of the recording is {\"AddLine\":{"]
        ),
        (
            ["--edit", #"22={"ApplyCoupon":{"code":5}}"#],
            ["--edit 22", "code", "Action 22 of the recording is \(coupon)."]
        ),
        (["--drop-type", "ApplyCupon"], ["no action of that type", "Did you mean ApplyCoupon?"]),
        (["--when", "tpye = 'Pay'"], ["There is no column tpye.", "  ^"]),
        (["--when", "/audit/refusal = 6"], ["nothing at /audit/refusal", "Did you mean /audit/refusals?"]),
        (["--when", "seq = 4", "--edit", "4=\(coupon)"], ["contradicts `when seq = 4`"]),
        (["--skip", "4", "--edit", "4=\(coupon)"], ["`edit 4=\(coupon)` contradicts `skip 4`"]),
        (["--move", "4=7", "--move", "4=9"], ["`move 4=9` contradicts `move 4=7`"]),
        (["--move", "4=3"], ["leaves action 4 where it is"]),
    ]

    @Test(arguments: mistakes) func `A mistake is named`(words: [String], says: [String]) {
        let harness = ToolHarness()
        let code = harness.run(["whatif", Self.checkout] + words)
        #expect(code == .usage, "\(words)")
        for text in says { #expect(harness.errorText.contains(text), "\(words): \(harness.errorText)") }
        #expect(harness.text == "")
    }
}
