import Foundation
import HindsightRecording
import HindsightTree
import TestSupport
import Testing

@testable import HindsightCLI

@Suite struct PlaceCommandTests {
    private static func file(_ name: String) -> String { Fixtures.directory.appending(path: name + ".hindsight").path }

    /// The lines of a command's JSON.
    private static func json(_ words: [String]) throws -> [Node] {
        let harness = ToolHarness().running(words + ["--json"])
        return try harness.text.split(separator: "\n").map { try Node(json: String($0)) }
    }

    private static let names = ["todo", "checkout", "notepad", "partial", "doubtful", "bridged"]

    @Test(arguments: names) func `blame has each value of the state, and says who set it`(name: String) throws {
        let recording = try Recording(at: URL(filePath: Self.file(name)))
        let state = try recording.state(at: recording.end)
        for line in try Self.json(["blame", Self.file(name)]) {
            guard case .string(let text)? = line["path"], let path = NodePath(text) else {
                Issue.record("no path in \(line.json)")
                continue
            }
            #expect(state[path] == line["value"])
            if line["redacted"] == true { continue }
            guard case .string(let by)? = line["by"] else {
                Issue.record("nobody set \(path)")
                continue
            }
            guard by == "reducer", case .string(let position)? = line["position"],
                let after = Recording.Position(position), let reducer = after.reducer
            else { continue }
            // The reducer brought the value: it was not there before, in that form and at that place.
            let steps = try recording.steps(of: after.seq)
            #expect(steps[reducer - 1].patch != nil, "\(path) by \(position)")
        }
    }

    @Test(arguments: names) func `the history of each top-level place leads from the first value to the last`(
        name: String
    )
        throws
    {
        let recording = try Recording(at: URL(filePath: Self.file(name)))
        let state = try recording.state(at: recording.end)
        guard case .object(let members) = state else { return }
        for member in members {
            let path = NodePath([member.key])
            let lines = try Self.json(["history", Self.file(name), path.description]).filter { $0["event"] == nil }
            for (one, next) in zip(lines, lines.dropFirst()) { #expect(one["new"] == next["old"], "\(path)") }
            if let last = lines.last { #expect(last["new"] == member.value) }
            let first = try recording.state(at: recording.start)[path]
            if let line = lines.first { #expect(line["old"] == first) } else { #expect(first == member.value) }
        }
    }

    @Test(arguments: names) func `log --path lists the actions that history names, with the same values`(
        name: String
    ) throws {
        let recording = try Recording(at: URL(filePath: Self.file(name)))
        var paths: Set<NodePath> = []
        for position in [recording.start, recording.end] {
            Self.collectPaths(try recording.state(at: position), NodePath(), &paths)
        }
        var random = Seeded.runs(1)[0]
        for path in paths.sorted(by: { $0.description < $1.description }).shuffled(using: &random).prefix(25) {
            let history = try Self.json(["history", Self.file(name), path.description])
            let steps = history.filter { $0["by"] == "reducer" || $0["by"] == "travel" }
            let lines = try Self.json(["log", Self.file(name), "--recorded", "--path", path.description])
                .filter { $0["seq"] != nil && $0["doubtful"] == nil }
            let unknown = history.first { $0["event"] == "unknown" }?["actions"]
            // Doubtful actions have changes of their own in the log only.
            if name != "doubtful" {
                #expect(lines.map { $0["seq"] } == steps.map { $0["seq"] }.uniqued(), "\(random), \(path)")
            }
            if unknown != nil { continue }
            for line in lines {
                guard case .array(let places)? = line["places"] else {
                    Issue.record("no places in \(line.json)")
                    continue
                }
                let ofAction = steps.filter { $0["seq"] == line["seq"] }
                #expect(places.map { $0["path"] } == [.string(path.description)])
                #expect(places.first?["old"] == ofAction.first?["old"], "\(path) at \(line["seq"]?.json ?? "")")
                #expect(places.first?["new"] == ofAction.last?["new"], "\(path) at \(line["seq"]?.json ?? "")")
            }
        }
    }

    private static func collectPaths(_ node: Node, _ path: NodePath, _ paths: inout Set<NodePath>) {
        if !path.isRoot { paths.insert(path) }
        switch node {
        case .array(let elements):
            for (index, element) in elements.enumerated() { collectPaths(element, path.appending("\(index)"), &paths) }
        case .object(let members):
            for member in members { collectPaths(member.value, path.appending(member.key), &paths) }
        default: break
        }
    }

    @Test func `log --path shows the place that was asked for first, by its values`() throws {
        let harness = ToolHarness()
        #expect(
            harness.run(["log", Self.file("todo"), "--path", "/items/2/title", "--from", "47", "--to", "60"]) == .fine
        )
        let rows = harness.text.split(separator: "\n").map(String.init)
        #expect(rows.map { $0.split(separator: " ")[0] } == ["47", "51", "53", "57", "60"])
        #expect(
            rows[1].contains(#"/items/2/title  "Book the train to Bergen" → "Kaffe, brød og brunost ☕️🥖🧀", /history/"#)
        )
        // It was there only for a while, in an array that has been emptied since.
        let gift = ToolHarness().running(["log", Self.file("checkout"), "--path", "/cart/giftWrapped/1"])
        #expect(gift.text.contains("/cart/giftWrapped/1  nothing → "), "\(gift.text)\(gift.errorText)")
        let none = ToolHarness()
        #expect(none.run(["log", Self.file("todo"), "--path", "/items/99"]) == .usage)
    }

    @Test func `diff --path with a wildcard has the elements that moved`() {
        for (from, to, path, rows) in [
            (
                "47", "80", "/history/*/7",
                [
                    "+ /history/undo/7/0/removed/0/note  \"twice a day\"",
                    "~ /history/undo/7/0/inserted/0/done  false → true",
                ]
            ),
            (
                "74", "66", "/*/undo/6/*/inserted/0/done",
                ["- /history/undo/6/0/inserted/0/done  false", "+ /history/undo/6/1/inserted/0/done  false"]
            ),
        ] {
            let harness = ToolHarness()
            #expect(harness.run(["diff", Self.file("todo-limits"), from, to, "--path", path]) == .difference)
            #expect(harness.text.split(separator: "\n").map(String.init) == rows, "\(harness.text)")
        }
    }

    @Test func `an item that was moved keeps its origin`() throws {
        // Action 13 moves item 6 to the front, and the recorder writes that as changes of all six items.
        let lines = try Self.json(["blame", Self.file("todo"), "/items/0", "--at", "13"])
        #expect(lines.contains { $0["path"] == "/items/0/id" })
        for line in lines { #expect(line["seq"] == 12, "\(line.json)") }
        let history = try Self.json(["history", Self.file("todo"), "/items/0", "--follow", "--at", "13"])
        #expect(history.map { $0["seq"] } == [12])
        let moved = try Self.json(["history", Self.file("todo"), "/items/0/id", "--at", "13"])
        #expect(moved.map { $0["new"] } == [1, 6])
    }

    @Test func `actions without recorded states are named together`() throws {
        let lines = try Self.json(["blame", Self.file("bridged"), "/counts/open", "--at", "49"])
        #expect(lines.map { $0["by"] } == ["oneOf"] && lines[0]["actions"] == [45, 49])
        let harness = ToolHarness().running(["blame", Self.file("bridged"), "/counts/open", "--at", "49"])
        #expect(harness.text.contains("in one of the actions 45 to 49"), "\(harness.text)")
    }

    @Test func `history says what it cannot know of doubtful states and of those that were left out`() throws {
        // What the recorder marked, or left out, and a place that is the same before and after it.
        for (name, actions) in [("doubtful", Node.array([36, 45])), ("bridged", [45, 49])] {
            let recording = try Recording(at: Fixtures.directory.appending(path: name + ".hindsight"))
            guard case .object(let members) = try recording.state(at: recording.end) else { continue }
            for member in members {
                let path = NodePath([member.key]).description
                let all = try Self.json(["history", Self.file(name), path])
                let lines = all.filter { $0["event"] == nil }
                #expect(all.first?["event"] == "unknown" && all.first?["actions"] == [actions], "\(path)")
                let harness = ToolHarness().running(["history", Self.file(name), path, "--limit", "999"])
                let count = lines.count == 1 ? "at least once" : "at least \(lines.count) times"
                let answer = lines.isEmpty ? "at all recorded positions" : count
                #expect(harness.text.contains(answer) && !harness.text.contains("never"), "\(harness.text)")
                let text = harness.text.split { $0.isWhitespace }.joined(separator: " ")
                #expect(text.contains("Not known: each change in actions \(name == "doubtful" ? "36" : "45") to"))
            }
            let nowhere = ToolHarness().running(["history", Self.file(name), "/nowhere"], .usage)
            #expect(nowhere.errorText.contains("at any recorded position"), "\(nowhere.errorText)")
            #expect(nowhere.errorText.contains("Not known:"), "\(nowhere.errorText)")
        }
        // Before the actions that are not known, all is known.
        let before = try Self.json(["history", Self.file("doubtful"), "/filter", "--at", "35"])
        #expect(before.allSatisfy { $0["event"] == nil })
    }

    @Test func `redacted values are named as such`() throws {
        let lines = try Self.json(["blame", Self.file("partial"), "/items"])
        let titles = lines.filter { line in
            if case .string(let path)? = line["path"] { path.hasSuffix("/title") } else { false }
        }
        #expect(!titles.isEmpty)
        for line in titles { #expect(line["redacted"] == true && line["by"] == nil, "\(line.json)") }
    }

    @Test(arguments: [
        ("/items/0/title", "Whether it changes is not known.", true), ("/items", " changed at least ", true),
        ("/nextID", " changed at least ", false),
    ])
    func `history, log and tail say that changes of redacted values are not recorded`(
        path: String,
        sentence: String,
        isHidden: Bool
    ) {
        let hidden = "\(path) is redacted, or has redacted values"
        let history = ToolHarness().running(["history", Self.file("partial"), path])
        #expect(history.text.contains(sentence) && !history.text.contains("never changes"), "\(history.text)")
        var commands = [["history", "--json"], ["history"]]
        // Without a change that is known, these say it in a sentence of their own.
        if path != "/items/0/title" { commands += [["log", "--path"], ["tail", "--path"]] }
        for words in commands {
            let harness = ToolHarness().running([words[0], Self.file("partial")] + words.dropFirst() + [path])
            #expect(harness.errorText.contains(hidden) == isHidden, "\(words): \(harness.errorText)")
        }
    }

    @Test(arguments: [
        (["blame", "cart"], "PATH"), (["history", "/a~2"], "PATH"), (["blame", "/cart", "--at", "never"], "never"),
        (["history", "/cart", "--limit", "0"], "--limit"), (["history"], "PATH"),
        (["blame", "/nowhere/at/all"], "no /nowhere"),
        (["history", "/cart/totals/gros"], "/cart/totals/gross"), (["blame", "/cart/totals/gros"], "Did you mean"),
        (["blame", "/*/nothing"], "nothing"),
    ]) func `bad input is told`(words: [String], part: String) {
        let harness = ToolHarness()
        let all = [words[0], Self.file("checkout")] + words.dropFirst()
        #expect(harness.run(all) == .usage)
        #expect(harness.errorText.contains(part), "\(harness.errorText)")
        #expect(harness.text == "")
    }

    @Test func `a place that is gone, or came later, is told`() {
        let gone = ToolHarness().running(["blame", Self.file("checkout"), "/shipping/method"], .usage)
        #expect(gone.errorText.contains("it went at 66.6, in shipping, by StartOver"), "\(gone.errorText)")
        #expect(gone.errorText.contains("--at 66.5"), "\(gone.errorText)")
        let later = ToolHarness().running(["blame", Self.file("checkout"), "/shipping/method", "--at", "2"], .usage)
        #expect(later.errorText.contains("it came later"), "\(later.errorText)")
    }

    @Test func `a long history is cut with a count, and wildcards choose values`() throws {
        let cut = ToolHarness().running(["history", Self.file("checkout"), "/audit/seal", "--limit", "3"])
        let all = try Self.json(["history", Self.file("checkout"), "/audit/seal"])
        #expect(cut.text.contains("\(all.count) times"), "\(cut.text)")
        #expect(cut.text.contains("… after \(all.count - 3) earlier changes"), "\(cut.text)")
        let titles = try Self.json(["blame", Self.file("todo"), "/items/*/title"])
        #expect(titles.count > 1)
        let plain = try Self.json(["blame", Self.file("todo"), "/items/*/title", "--no-index"])
        #expect(titles == plain)
    }

    @Test func `blame has a line a value on a terminal of 100 columns`() {
        var terminal = Terminal()
        terminal.columns = 100
        let harness = ToolHarness().running(["blame", Self.file("checkout"), "/cart"], terminal: terminal)
        let lines = harness.text.split(separator: "\n")
        #expect(lines.count == 1 + 8 + 1, "\(harness.text)")
        #expect(lines.contains { $0.hasPrefix("/cart/totals/wrapping") && $0.hasSuffix("checkout.jsonl:53") })
    }

    @Test(arguments: [40, 80, 200]) func `lines fit the terminal`(columns: Int) {
        var terminal = Terminal()
        terminal.columns = columns
        for words in [["blame", Self.file("todo")], ["history", Self.file("todo"), "/items"]] {
            let harness = ToolHarness().running(words, terminal: terminal)
            for line in harness.text.split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
        }
    }
}

extension Array where Element: Equatable {
    /// Without an element that equals the one before it.
    fileprivate func uniqued() -> [Element] {
        enumerated().filter { $0.offset == 0 || self[$0.offset - 1] != $0.element }.map(\.element)
    }
}
