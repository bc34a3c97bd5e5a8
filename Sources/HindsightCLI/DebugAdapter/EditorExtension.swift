import Foundation
import HindsightSupport
import HindsightTree

/// An extension that makes the tool a debugger of VS Code: a folder with a manifest, and no code.
struct EditorExtension {
    /// The name of the tool. Each app's own build is a debugger of its own.
    let tool: String
    /// The path of its executable.
    let program: String

    private static let publisher = "hindsight-recordings"
    private static let version = "1.0.0"

    /// The type of its launch configurations, and the name of the extension: VS Code allows lowercase letters, digits
    /// and hyphens.
    var type: String {
        let letters = tool.lowercased().unicodeScalars.map { scalar in
            ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "-"
        }
        return String(letters)
    }

    /// A launch configuration.
    private var configuration: Node {
        [
            "type": .string(type), "request": "launch", "name": "Recording",
            "program": "${workspaceFolder}/session.hindsight", "sourceRoot": "${workspaceFolder}",
        ]
    }

    /// Its `package.json`.
    var manifest: Node {
        let attributes: Node = [
            "required": ["program"],
            "properties": [
                "program": [
                    "type": "string",
                    "description": "The recording; for a directory, the newest one in it.",
                    "default": "${workspaceFolder}/session.hindsight",
                ],
                "position": [
                    "type": ["string", "integer"],
                    "description": "Where to begin: 412, \"412.3\", end, crash, or a note.",
                ],
                "rules": [
                    "type": "string",
                    "description": "A file of rules, as invariants writes it, for breakpoints: rule('…').",
                ],
                "sourceRoot": [
                    "type": ["string", "array"], "items": ["type": "string"],
                    "description": "The folders of the app's sources.", "default": "${workspaceFolder}",
                ],
            ],
        ]
        return [
            "name": .string(type), "displayName": .string("Hindsight (\(tool))"),
            "description": "Steps through recordings in both directions.",
            "publisher": .string(Self.publisher), "version": .string(Self.version),
            "engines": ["vscode": "^1.80.0"], "categories": ["Debuggers"],
            "contributes": [
                "breakpoints": [["language": "swift"]],
                "debuggers": [
                    [
                        "type": .string(type), "label": .string("Hindsight (\(tool))"), "languages": ["swift"],
                        "program": .string(program), "args": ["dap"],
                        "configurationAttributes": ["launch": attributes, "attach": attributes],
                        "initialConfigurations": [configuration],
                        "configurationSnippets": [
                            [
                                "label": .string("Hindsight (\(tool)): Recording"),
                                "description": "Steps through a recording.", "body": configuration,
                            ]
                        ],
                    ]
                ],
            ],
        ]
    }

    /// Writes the extension into a folder of extensions, in place of an earlier one.
    ///
    /// - Returns: Its own folder.
    /// - Throws: ``Failure`` if it cannot be written.
    func write(into folder: URL) throws -> URL {
        let url = folder.appending(path: "\(Self.publisher).\(type)-\(Self.version)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let text = manifest.prettyJSON() + "\n"
            try Data(text.utf8).write(to: url.appending(path: "package.json"), options: .atomic)
        } catch {
            throw Failure(
                .badFile,
                "Could not write \(escape(url.path)): \(escape("\(error)")).",
                "Name another folder of extensions with --into."
            )
        }
        return url
    }
}
