import Foundation
import HindsightSupport

/// The text of a Swift test that runs a list of actions on a state.
struct SwiftTestFile {
    /// The app's constant, with its module.
    let app: AppConstant
    /// The name of the test.
    let title: String
    /// Where it comes from.
    let comment: String
    let source: TestSourceTask.Source
    let crashes: Bool

    private static let keptModules = ["Swift", "Foundation", "FoundationEssentials", "HindsightStore"]

    /// A name of this module without it: the test imports the module.
    private func short(_ name: String) -> String {
        if name.hasPrefix("any ") { return "any " + short(String(name.dropFirst(4))) }
        let parts = name.split(separator: ".", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : name
    }

    private func module(of name: String) -> String? {
        let name = name.hasPrefix("any ") ? String(name.dropFirst(4)) : name
        return name.split(separator: ".").first.map(String.init)
    }

    var text: String {
        let modules = [app.module, module(of: source.stateType), module(of: source.actionType)].compactMap { $0 }
        let tested = Set(modules).subtracting(Self.keptModules).sorted().map { "@testable import \($0)" }
        let steps = source.steps.flatMap(lines)
        let needsFoundation = steps.contains { ["UUID(", "Date(", "Decimal("].contains(where: $0.contains) }
        let imports = (needsFoundation ? ["import Foundation"] : []) + ["import HindsightTesting", "import Testing"]
        let indent = crashes ? "        " : "    "
        let given =
            "given(\(short(source.stateType)).self, from: \(SwiftExpression.raw(escape(source.state))),"
            + " \(type(source.actionType)), by: \(app.name))"
        var body = ["\(indent)\(crashes ? "_ = " : "")try \(given)"] + steps.map { "\(indent)    \($0)" }
        if crashes {
            body = ["    await #expect(processExitsWith: .success) {"] + body + ["    }"]
        }
        let signature = crashes ? "() async" : "() throws"
        return (imports + tested).joined(separator: "\n")
            + "\n\n/// \(escape(comment))\n@Test func `\(name)`\(signature) {\n"
            + body.joined(separator: "\n") + "\n}\n"
    }

    private func type(_ name: String) -> String {
        name.hasPrefix("any ") ? "(\(short(name))).self" : "\(short(name)).self"
    }

    private func lines(of step: TestSourceTask.Step) -> [String] {
        let action = step.expression ?? "json: \(SwiftExpression.raw(escape(step.json)))"
        guard let changes = step.changes, !crashes else { return [".when(\(action))"] }
        let expected = changes == "[]" ? "" : "changes: \(SwiftExpression.raw(escape(changes)))"
        return [".when(\(action))", ".then(\(expected))"]
    }

    /// The title as an identifier between backticks.
    private var name: String {
        let kept = title.map { $0.isLetter || $0.isNumber || " _-.,".contains($0) ? $0 : " " }
        let text = String(kept).trimmingCharacters(in: .whitespaces)
        return text.contains { $0.isLetter || $0.isNumber } ? text : "recorded actions"
    }
}

/// The constant that declares an app.
struct AppConstant {
    let module: String
    let name: String

    /// - Parameter text: `Module.constant`.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let areNames = parts.allSatisfy { part in
            part.first?.isNumber == false && part.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
        guard parts.count > 1, areNames else { return nil }
        (module, name) = (parts[0], parts.dropFirst().joined(separator: "."))
    }

    /// Finds the constant of an app in the sources of the package around a folder.
    ///
    /// It finds `let myApp = ReplayableApp("name", …)` in the folder `Sources/Module` or `Tests/Module`, at the start of a
    /// line. What `main.swift` declares belongs to the main actor, so no test can use it.
    ///
    /// - Throws: Foundation's error if a source file cannot be read.
    static func find(_ app: String, around folder: String) throws -> AppConstant? {
        var folder = URL(filePath: folder).standardizedFileURL
        while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
            guard folder.path != "/" else { return nil }
            folder = folder.deletingLastPathComponent()
        }
        let declaration = try Regex(
            #"(?m)^(?:public\s+|package\s+|nonisolated\s+)*(?:let|var)\s+(\w+)\b[^\n]*\bReplayableApp\(\s*"([^"\\]*)""#,
            as: (Substring, Substring, Substring).self
        )
        let comment = try Regex(#"(?s)/\*.*?\*/"#)
        for part in ["Sources", "Tests"] {
            let root = folder.appending(path: part)
            let files =
                FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL }.filter {
                    $0.pathExtension == "swift" && $0.lastPathComponent != "main.swift"
                }.sorted { $0.path < $1.path } ?? []
            for file in files {
                let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
                guard text.contains("ReplayableApp(") else { continue }
                let code = text.replacing(comment, with: "")
                for match in code.matches(of: declaration) where match.2 == app {
                    let rest = file.path.dropFirst(root.path.count).split(separator: "/")
                    guard rest.count > 1 else { continue }
                    let module = rest[0].map { $0.isLetter || $0.isNumber ? $0 : "_" }
                    return AppConstant("\(String(module)).\(match.1)")
                }
            }
        }
        return nil
    }
}
