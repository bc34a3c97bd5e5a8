import Foundation
import HindsightSupport

/// Files for the actions that are too long for the command line of a child process: the system limits the length of an
/// argument, and of all together.
enum ActionFiles {
    /// The longest option, in bytes, that stays on the command line.
    private static let longest = 1_000

    /// Calls `body` with the words of a `whatif`, in which each long action is `@FILE`. The files are in a folder of the
    /// user's alone, and are removed afterwards.
    static func with<Result>(_ words: [String], _ body: ([String]) throws -> Result) throws -> Result {
        guard words.first == WhatIfCommand.syntax.name, words.contains(where: { action(in: $0) != nil }) else {
            return try body(words)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "hindsight-actions-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let result: Swift.Result<Result, any Error> = .init {
            try body(
                words.enumerated().map { index, word in
                    guard let (option, edit) = action(in: word) else { return word }
                    let file = folder.appending(path: "\(index).json")
                    try Data(edit.value.utf8).write(to: file)
                    return "\(option)=\(edit.position)=@\(file.path)"
                }
            )
        }
        try FileManager.default.removeItem(at: folder)
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
