import Foundation
import HindsightSupport

/// Files for the actions that are too long for the command line of a child process: the system limits the length of an
/// argument, and of all together. They are in a folder of the user's alone.
struct ActionFiles {
    /// The longest option, in bytes, that stays on the command line.
    private static let longest = 1_000

    /// The words of a command, in which each long action of a `whatif` is `@FILE`.
    let words: [String]
    private let folder: URL?

    /// Writes the files. Call ``remove()`` when the command has ended.
    init(_ words: [String]) throws {
        guard words.first == WhatIfCommand.syntax.name, words.contains(where: { Self.action(in: $0) != nil }) else {
            (self.words, folder) = (words, nil)
            return
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "hindsight-actions-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        self.folder = folder
        do {
            self.words = try words.enumerated().map { index, word in
                guard let (option, edit) = Self.action(in: word) else { return word }
                let file = folder.appending(path: "\(index).json")
                try Data(edit.value.utf8).write(to: file)
                return "\(option)=\(edit.position)=@\(file.path)"
            }
        } catch {
            try FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    func remove() throws {
        if let folder { try FileManager.default.removeItem(at: folder) }
    }

    /// Calls `body` with ``words``, and removes the files afterwards.
    static func with<Result>(_ words: [String], _ body: ([String]) throws -> Result) throws -> Result {
        let files = try ActionFiles(words)
        let result: Swift.Result<Result, any Error> = .init { try body(files.words) }
        try files.remove()
        return try result.get()
    }

    /// The option and the value of a long word with an action; `nil` for any other word.
    private static func action(in word: String) -> (option: String, edit: EditArgument)? {
        guard word.utf8.count > longest else { return nil }
        for declaration in [WhatIfCommand.edit.declaration, WhatIfCommand.insert.declaration] {
            let option = "--\(declaration.name)"
            guard word.hasPrefix(option + "="), let edit = EditArgument(String(word.dropFirst(option.count + 1))) else {
                continue
            }
            return (option, edit.beforeAction)
        }
        return nil
    }
}
