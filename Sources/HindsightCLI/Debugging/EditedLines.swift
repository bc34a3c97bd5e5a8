import Foundation
import HindsightSupport

/// Lines that the user edits, with a history and completion, by the system's libedit.
///
/// The library is loaded at run time, so that no build depends on it. Its functions are those of GNU readline.
final class EditedLines: DebugLines {
    /// Completes a word.
    ///
    /// - Returns: The words that may stand there, and whether they may go on, so that no space follows.
    typealias Completion = (_ before: String, _ word: String) -> (words: [String], isOpen: Bool)

    private let library: EditLibrary
    private let history: String?
    /// The settings of the terminal before, which the library changes.
    private var settings = termios()

    /// How many lines the history keeps.
    private static let maxLines: Int32 = 1000

    /// - Parameters:
    ///   - output: The descriptor of the terminal.
    ///   - history: The file that keeps the lines between runs; `nil` for none.
    /// - Returns: `nil` if the system has no libedit.
    init?(output: Int32, history: URL?, completion: @escaping Completion) {
        guard let library = EditLibrary() else { return nil }
        (self.library, self.history) = (library, history?.path)
        tcgetattr(STDIN_FILENO, &settings)
        setlocale(LC_CTYPE, "")
        // Must come before the first use of the library. The stream stays open as long as the process.
        library.outputStream.pointee = fdopen(output, "w").map { UnsafeMutableRawPointer($0) }
        library.catchesSignals?.pointee = 0
        library.wordBreaks.pointee = strdup(" \t\n")
        library.useHistory()
        library.limitHistory(Self.maxLines)
        if let path = self.history { _ = library.readHistory(path) }
        Self.shared = Shared(library: library, completion: completion)
        library.completion.pointee = { word, start, _ in EditedLines.complete(word, Int(start)) }
    }

    deinit {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    func next(_ prompt: String) -> DebugInput {
        guard let bytes = library.readLine(prompt) else {
            return Interruption.take() && TerminationSignal.received == nil ? .interrupted : .end
        }
        defer { free(bytes) }
        let line = String(cString: bytes)
        if !line.allSatisfy(\.isWhitespace), line != last {
            _ = library.addHistory(line)
            last = line
            keepHistory()
        }
        return .line(line)
    }

    private var last = ""

    /// Writes the history, which only the user may read: commands may have values of the app in them.
    private func keepHistory() {
        guard let history else { return }
        let mask = umask(0o077)
        _ = library.writeHistory(history)
        umask(mask)
    }

    /// The usual file: in `$XDG_STATE_HOME/hindsight` or `~/.local/state/hindsight`, on macOS in
    /// `~/Library/Application Support/hindsight`. `nil` if the folder cannot be made.
    static var usualHistory: URL? {
        guard let folder = SystemFiles.state else { return nil }
        let url = URL(filePath: folder).appending(path: "hindsight")
        do {
            try FileManager.default.createDirectory(
                at: url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            // The debugger works without a history.
            return nil
        }
        return url.appending(path: "debug-history")
    }

    // MARK: Completion

    private struct Shared {
        let library: EditLibrary
        let completion: Completion
        var words: [String] = []
    }

    /// What the library's callbacks, which are C functions, work with. Sound: there is one terminal, and the library
    /// calls back on the thread that reads a line.
    nonisolated(unsafe) private static var shared: Shared?

    /// Returns the words as the library wants them: in an array that it frees.
    private static func complete(_ word: UnsafePointer<CChar>?, _ start: Int)
        -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    {
        guard let word, let library = shared?.library, let completion = shared?.completion else { return nil }
        // The library must not complete the names of files if there are no words.
        library.isComplete.pointee = 1
        let line = library.line.pointee.map { String(cString: $0) } ?? ""
        let (words, isOpen) = completion(String(line.prefix(start)), String(cString: word))
        if words.isEmpty { return nil }
        shared?.words = words
        library.suffix.pointee = isOpen ? 0 : Int32(UInt8(ascii: " "))
        return library.matches(word) { _, index in
            guard let words = EditedLines.shared?.words, words.indices.contains(Int(index)) else { return nil }
            return strdup(words[Int(index)])
        }
    }
}

/// The functions and variables of libedit.
///
/// Sound: their types are those of `editline/readline.h`, which have been the same since libedit 3.0.
struct EditLibrary {
    typealias Text = UnsafeMutablePointer<CChar>
    typealias Completer = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> UnsafeMutablePointer<Text?>?
    typealias Generator = @convention(c) (UnsafePointer<CChar>?, Int32) -> Text?

    let readLine: @convention(c) (UnsafePointer<CChar>?) -> Text?
    let useHistory: @convention(c) () -> Void
    let addHistory: @convention(c) (UnsafePointer<CChar>?) -> Int32
    let limitHistory: @convention(c) (Int32) -> Void
    let readHistory: @convention(c) (UnsafePointer<CChar>?) -> Int32
    let writeHistory: @convention(c) (UnsafePointer<CChar>?) -> Int32
    let matches: @convention(c) (UnsafePointer<CChar>?, Generator?) -> UnsafeMutablePointer<Text?>?
    let completion: UnsafeMutablePointer<Completer?>
    let isComplete: UnsafeMutablePointer<Int32>
    let suffix: UnsafeMutablePointer<Int32>
    let wordBreaks: UnsafeMutablePointer<Text?>
    let line: UnsafeMutablePointer<Text?>
    let outputStream: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// Older versions have none.
    let catchesSignals: UnsafeMutablePointer<Int32>?

    private static let names = ["libedit.so.2", "libedit.so.0", "libedit.dylib", "libedit.3.dylib"]

    /// Loads the library; `nil` if the system does not have it, or `HINDSIGHT_EDITING` is `no`.
    init?() {
        guard ProcessInfo.processInfo.environment["HINDSIGHT_EDITING"] != "no",
            let handle = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first
        else { return nil }
        struct MissingSymbol: Error {}
        func symbol<Symbol>(_ name: String) throws -> Symbol {
            guard let address = dlsym(handle, name) else { throw MissingSymbol() }
            return unsafeBitCast(address, to: Symbol.self)
        }
        do {
            readLine = try symbol("readline")
            useHistory = try symbol("using_history")
            addHistory = try symbol("add_history")
            limitHistory = try symbol("stifle_history")
            readHistory = try symbol("read_history")
            writeHistory = try symbol("write_history")
            matches = try symbol("rl_completion_matches")
            completion = try symbol("rl_attempted_completion_function")
            isComplete = try symbol("rl_attempted_completion_over")
            suffix = try symbol("rl_completion_append_character")
            wordBreaks = try symbol("rl_basic_word_break_characters")
            line = try symbol("rl_line_buffer")
            outputStream = try symbol("rl_outstream")
        } catch {
            return nil
        }
        catchesSignals = try? symbol("rl_catch_signals")
    }
}
