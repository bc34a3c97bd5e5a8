import Foundation

/// A `ReplayableApp` that a module declares at its top level.
struct DeclaredApp: Equatable {
    /// The name of the target that declares it.
    let target: String
    /// The name of the constant.
    let constant: String
    /// The name of the app in its recordings; `nil` if it is no literal.
    let name: String?

    /// The module's name in an `import`.
    var module: String { Self.identifier(target) }

    /// The apps that Swift text declares.
    ///
    /// Finds `public let myApp = ReplayableApp("name", …)` and `public let myApp: ReplayableApp`, also with `var` and
    /// `nonisolated`, at the start of a line, as top-level declarations are formatted. Those in comments and in string
    /// literals do not count.
    static func all(in text: String, of target: String) -> [DeclaredApp] {
        let declaration =
            #/^(?:nonisolated\s+)?public\s+(?:nonisolated\s+)?(?:let|var)\s+(\w+)\s*(?::\s*ReplayableApp\b|=\s*ReplayableApp\(\s*(?:"([^"\\]*)")?)/#
            .anchorsMatchLineEndings()
        return code(of: text).matches(of: declaration).map { match in
            DeclaredApp(target: target, constant: String(match.1), name: match.2.map(String.init))
        }
    }

    /// Swift text without comments, which may have others inside, and without literals of several lines. Literals of one
    /// line stay.
    private static func code(of text: String) -> String {
        guard text.contains("ReplayableApp") else { return "" }
        let token =
            #/(?s)//[^\n]*|/\*(?:/\*.*?\*/|(?!/\*).)*?\*/|(#*)"""[ \t]*\n(?:\\.|[^\\])*?"""\1|(#+)"[^\n]*?"\2|"(?:\\.|[^"\\\n])*"/#
        return text.replacing(token) { match in
            match.0.hasPrefix("/*") || match.0.contains("\n") ? " " : String(match.0)
        }
    }

    /// The apps that the Swift files of a target declare, in the order of the files' paths. A constant that several
    /// branches of `#if` declare counts once. Hidden folders are none of the target's: one whose directory is that of the
    /// package has `.build` in it, with the sources of other packages.
    ///
    /// - Throws: Foundation's error if a file cannot be read.
    static func all(in directory: URL, of target: String) throws -> [DeclaredApp] {
        let files = FileManager.default.enumerator(
            at: directory,
            includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles
        )
        let sources = (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        var constants: Set<String> = []
        return try sources.sorted { $0.path < $1.path }.flatMap { file in
            all(in: String(decoding: try Data(contentsOf: file), as: UTF8.self), of: target)
                .filter { constants.insert($0.constant).inserted }
        }
    }

    /// A name in which everything that no identifier has is an underscore, as in the names of modules.
    static func identifier(_ name: String) -> String {
        let text = name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        return text.first?.isNumber == true ? "_" + text.dropFirst() : text
    }
}
