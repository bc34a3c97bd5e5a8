import Foundation
import HindsightRecorder
import HindsightReplay
import HindsightSupport
import HindsightTree

/// The lines of a file, or of standard input.
final class InputFile {
    /// The name in messages and recordings.
    let name: String
    private let reader: LineReader
    private let descriptor: Int32

    /// - Parameter path: A path, or `-`.
    init(_ path: String, standardInput: @escaping LineReader.Source) throws {
        guard path != "-" else {
            name = "stdin"
            descriptor = 0
            reader = LineReader(source: standardInput)
            return
        }
        let file: Descriptor
        do {
            file = try Descriptor(reading: path)
        } catch {
            throw Failure(
                .badFile,
                "\(escape(path)) cannot be read: \(error).",
                "Check the path given to --input."
            )
        }
        name = URL(filePath: path).lastPathComponent
        descriptor = file.number
        reader = LineReader { Descriptor.read(file.number, into: $0) }
    }

    /// Whether this is the file at a path.
    func isFile(at path: String) -> Bool {
        var opened = stat()
        var present = stat()
        return fstat(descriptor, &opened) == 0 && stat(path, &present) == 0
            && opened.st_dev == present.st_dev && opened.st_ino == present.st_ino
    }

    /// The number of the line that was read last.
    var line: Int { reader.line }

    func nextLine() throws -> [UInt8]? {
        do {
            return try reader.next()
        } catch .unreadable(let error) {
            throw Failure(.badFile, "\(escape(name)) cannot be read: \(error).")
        } catch .tooLong(let line) {
            throw Failure(
                .badFile,
                "\(escape(name)):\(line): the line is longer than \(Quantities.bytes(LineReader.maxLineLength)).",
                "One JSON action a line is expected."
            )
        }
    }
}

/// Why a line is not an action.
enum LineError: Error {
    case notText
    case notJSON(any Error)
    case notAnAction(ReplayError)

    /// The place of the action, the problem, and the expected form.
    func lines(at place: String, app: ReplayableApp) -> [String] {
        switch self {
        case .notText:
            return ["\(place): the line is not UTF-8.", "One JSON action a line is expected, as UTF-8 text."]
        case .notJSON(let error):
            let reason = Messages.lines(of: error).first ?? "it cannot be read"
            return ["\(place): not JSON: \(reason).", #"One action a line is expected, such as {"toggle":{"id":3}}."#]
        case .notAnAction(let error):
            return ["\(place): not an action of \(escape(app.name)): \(Self.reason(error))"] + Self.expectation(error)
        }
    }

    private static func reason(_ error: ReplayError) -> String {
        let cause = error.cause.map { Messages.lines(of: $0).joined(separator: " ") } ?? "it does not decode"
        let reason = cause.hasSuffix(".") ? String(cause.dropLast()) : cause
        guard let type = error.type, error.isUnknownType else { return reason + "." }
        return "it has no action type \(quote(type))."
    }

    private static func expectation(_ error: ReplayError) -> [String] {
        guard error.isUnknownType else { return [] }
        let nearest = error.suggestion ?? error.type.flatMap { Suggestion.nearest(to: $0, in: error.knownTypes) }
        if let nearest { return ["Did you mean \(escape(nearest))?"] }
        // The cases of an enum are unknown.
        if error.knownTypes.isEmpty {
            return [#"Expected an object whose only key is a case of the actions, such as {"toggle":{"id":3}}."#]
        }
        return ["Expected one of: \(error.knownTypes.prefix(12).map(escape).joined(separator: ", "))."]
    }
}
