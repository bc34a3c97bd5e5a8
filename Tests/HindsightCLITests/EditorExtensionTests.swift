import Foundation
import HindsightTree
import Testing

@testable import HindsightCLI

/// What editors need to start the adapter.
@Suite struct EditorExtensionTests {
    private static let page = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/HindsightCLI/HindsightCLI.docc/DebuggingInAnEditor.md")

    /// The blocks of the article in a language.
    private static func blocks(_ language: String) throws -> [String] {
        let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```\(language)\n")
        return parts.dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    @Test func `install writes an extension of VS Code whose command line the tool takes`() throws {
        let scratch = Scratch()
        let folder = scratch.file("extensions")
        // Twice: the second one replaces the first.
        for json in [false, true] {
            let harness = ToolHarness()
            let words = ["dap", "--install", "vscode", "--into", folder.path] + (json ? ["--json"] : [])
            #expect(harness.run(words) == .fine, "\(harness.errorText)")
            let folders = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(folders.count == 1 && harness.text.contains(folders[0]), "\(harness.text)")
            let bytes = try Data(contentsOf: folder.appending(path: "\(folders[0])/package.json"))
            let manifest = try Node(jsonBytes: bytes)
            #expect(manifest["main"] == nil)
            #expect(folders[0] == "hindsight-recordings.tool-1.0.0" && manifest["name"] == "tool")
            let debuggers = manifest["contributes"]?["debuggers"]
            #expect(debuggers?[0]?["type"] == "tool" && debuggers?[0]?["program"] == "tool")
            let arguments = debuggers?[0]?["args"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(ToolHarness().run(arguments) == .fine)
            let attributes = debuggers?[0]?["configurationAttributes"]?["launch"]?["properties"]
            #expect(attributes?["position"]?["type"] == ["string", "integer"])
        }
    }

    @Test(arguments: [
        ["dap", "--install", "emacs"], ["dap", "--into", "/tmp"], ["dap", "a.hindsight", "--install", "vscode"],
        ["dap", "--install", "vscode", "--source-root", "."],
    ])
    func `install takes no recording, and knows one editor`(words: [String]) {
        let harness = ToolHarness().running(words, .usage)
        #expect(harness.errorText.contains("--in"), "\(harness.errorText)")
    }

    @Test func `a folder that cannot be written is an error that names another way`() {
        let harness = ToolHarness().running(["dap", "--install", "vscode", "--into", "/dev/null"], .badFile)
        #expect(harness.errorText.contains("--into"), "\(harness.errorText)")
    }

    @Test(arguments: [("hindsight", "hindsight"), ("CheckoutTool", "checkouttool"), ("my tool.é", "my-tool--")])
    func `the type of a tool is its name, as VS Code allows it`(name: String, type: String) {
        #expect(EditorExtension(tool: name, program: "/bin/\(name)").type == type)
    }

    @Test func `the configurations in the article are JSON, and their command lines are the tool's`() throws {
        let blocks = try Self.blocks("json").map { try Node(json: $0) }
        #expect(blocks.count == 4)
        #expect(blocks[0]["configurations"]?[0]?["type"] == "hindsight")
        let commands = [
            blocks[1]["dap"]?["CodeLLDB"]?["args"]?.arrayValue,
            blocks[3]["adapters"]?["hindsight"]?["command"]?.arrayValue.map { Array($0.dropFirst()) },
        ]
        for command in commands {
            let words = try #require(command).compactMap(\.stringValue)
            #expect(words.first == "dap")
            #expect(ToolHarness().run(words) == .fine)
        }
        let launches = [
            blocks[0]["configurations"]?[0], blocks[2][0], blocks[3]["configurations"]?["Recording"]?["configuration"],
        ]
        for launch in launches {
            #expect(launch?["request"] == "launch" && launch?["program"] != nil && launch?["sourceRoot"] != nil)
        }
        for (language, count) in [("lua", 1), ("elisp", 1), ("toml", 1)] {
            let others = try Self.blocks(language)
            #expect(others.count == count && others.allSatisfy { $0.contains("dap") }, "\(language)")
        }
    }
}
