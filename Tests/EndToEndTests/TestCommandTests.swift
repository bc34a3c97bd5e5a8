import Foundation
import TestSupport
import Testing

@Suite struct TestCommandTests {
    private let workshop = Workshop()

    private static let planted = Workshop.built("PlantedTool")

    @Test func `The compiled test of the samples is what the command writes`() throws {
        let fixture = Workshop.package.appending(path: "Fixtures/todo.hindsight").path
        let constant = "Samples.SampleApps.todo"
        let result = try workshop.hindsight("test", fixture, "4", "9", "-o", "T.swift", "--constant", constant)
        #expect(result.code == 0 && result.text == "test  T.swift  5 actions\n", "\(result.errors)")
        let compiled = Workshop.package.appending(path: "Tests/SamplesTests/RecordedTodoTests.swift")
        let lines = try String(contentsOf: compiled, encoding: .utf8).split(separator: "\n")
        let written = try String(contentsOf: workshop.url("T.swift"), encoding: .utf8).split(separator: "\n")
        // The formatter is told to leave the long lines of the compiled one alone.
        #expect(lines.filter { $0 != "// swift-format-ignore-file" } == written)
    }

    private func record() throws {
        let lines = [
            #"{"set":{"key":3,"weight":1}}"#, ##"{"append":{"parts":["a\"#b","\u202ez\n"],"times":2}}"##,
            #"{"idle":{}}"#, #"{"append":{"parts":[]}}"#, #"{"set":{"key":1,"weight":4}}"#,
        ]
        let words = ["PLANTED=3,1", Self.planted.path, "record", "a.hindsight"]
        let input = Data(lines.map { $0 + "\n" }.joined().utf8)
        let result = try workshop.run(URL(filePath: "/usr/bin/env"), words, input: input)
        try #require(result.code != 0)
        try #require(try workshop.hindsight("recover", "a.hindsight").code == 0)
    }

    private func run(_ words: String...) throws -> Finished {
        try workshop.run(URL(filePath: "/usr/bin/env"), ["PLANTED=3,1", Self.planted.path] + words)
    }

    @Test func `A crash is a test in another process, and other actions have their changes`() throws {
        try record()
        let crash = try run("test", "a.hindsight", "--constant", "App.app").text
        #expect(crash.contains("    await #expect(processExitsWith: .success) {\n"), "\(crash)")
        #expect(crash.contains("        _ = try given(Board.self, from: "), "\(crash)")
        #expect(crash.hasSuffix("            .when(.set(key: 1, weight: 4))\n    }\n}\n"), "\(crash)")
        let part = try run("test", "a.hindsight", "1", "4", "--constant", "App.app").expecting(code: 0)
        let actions = part.text
        #expect(actions.contains(##"        .when(.append(parts: ["a\"#b", "\u{202e}z\n"], times: 2))"##), "\(actions)")
        #expect(actions.contains("        .when(.idle)\n        .then()\n"), "\(actions)")
        #expect(actions.contains("        .when(.append(parts: [], times: nil))\n"), "\(actions)")
        #expect(actions.contains(###".then(changes: ##"[{"op":"replace","path":"/text""###), "\(actions)")
        #expect(!actions.contains("\u{202e}"))
        let shrunk = try run("shrink", "a.hindsight", "--test", "T.swift", "--constant", "App.app")
        #expect(shrunk.text.contains("Wrote the test T.swift.\n"), "\(shrunk.text)\(shrunk.errors)")
        let text = try String(contentsOf: workshop.url("T.swift"), encoding: .utf8)
        #expect(text.contains("            .when(.set(key: 3, weight: 0))\n"), "\(text)")
        #expect(text.contains("            .when(.set(key: 1, weight: 0))\n    }\n"), "\(text)")
    }

    @Test func `It finds the app's constant in the package, or asks for it`() throws {
        try record()
        let none = try run("test", "a.hindsight")
        #expect(none.code == 2 && none.errors.contains("Say where it is: --constant Shop.shopApp"), "\(none.errors)")
        try workshop.write("", to: "Package.swift")
        let folder = workshop.url("Sources/Kit/App")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try workshop.write(
            "import X\n\npublic let other = ReplayableApp(\"other\", b)\nlet boards = ReplayableApp(\n    \"planted\", c)\n",
            to: "Sources/Kit/App/App.swift"
        )
        let found = try run("test", "a.hindsight")
        #expect(found.text.contains("@testable import Kit\n") && found.text.contains(", by: boards)"), "\(found.text)")
        #expect(try run("test", "a.hindsight", "2", "2").code == 2)
        let within = try run("test", "a.hindsight", "1.2", "3")
        #expect(within.code == 2 && within.errors.contains("1.2 lies within action 1"), "\(within.errors)")
        try workshop.write("mine", to: "T.swift")
        #expect(try run("test", "a.hindsight", "-o", "T.swift").code != 0)
        #expect(try run("shrink", "a.hindsight", "--test", "T.swift").code != 0)
        // A test never replaces the recording it is made of.
        let own = try run("test", "a.hindsight", "1", "2", "-o", "a.hindsight", "--force")
        #expect(own.code != 0 && own.errors.contains("it is the recording itself"), "\(own.errors)")
        #expect(try run("info", "a.hindsight").code == 0)
        #expect(try String(contentsOf: workshop.url("T.swift"), encoding: .utf8) == "mine")
    }

    @Test func `A test that is too long for a source file is not written, wherever the bytes are`() throws {
        let long = #"{"write":{"text":"\#(String(repeating: "x", count: 300_000))"}}"#
        let input = Data((long + "\n" + #"{"idle":{}}"# + "\n").utf8)
        try workshop.run(Self.planted, ["record", "a.hindsight"], input: input).expecting(code: 0)
        // The text is in the expression of the action, and in the change that it makes.
        let whole = try run("test", "a.hindsight", "0", "1", "-o", "T.swift", "--constant", "App.app")
        #expect(whole.code == 4 && whole.errors.contains("too much for a source file"), "\(whole.errors)")
        #expect(!FileManager.default.fileExists(atPath: workshop.url("T.swift").path))
        let rest = try run("test", "a.hindsight", "1", "2", "-o", "T.swift", "--constant", "App.app")
        #expect(rest.code == 0, "\(rest.errors)")
    }
}
