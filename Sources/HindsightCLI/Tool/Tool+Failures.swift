import Foundation
import HindsightFormat
import HindsightReplay

extension Tool {
    /// The failure of a command for an error of any layer. It names files as the user did.
    func failure(for error: any Error) -> Failure { Messages.failure(for: namedAsGiven(error), tool: name) }

    /// The error with the path of its file as an argument has it: the layers below know whole paths only.
    func namedAsGiven(_ error: any Error) -> any Error {
        if var error = error as? RecordingError {
            error.file = error.file.map(pathAsGiven)
            error.cause = error.cause.map(namedAsGiven)
            return error
        }
        if var error = error as? ReplayError {
            error.file = error.file.map(pathAsGiven)
            error.cause = error.cause.map(namedAsGiven)
            return error
        }
        return error
    }

    /// A whole path as an argument has it, or as it is in a directory that an argument has; the path itself if none does.
    func pathAsGiven(_ path: String) -> String {
        var best: (directory: String, rest: Substring)?
        for word in words {
            let isOption = word.hasPrefix("-")
            let given =
                isOption ? word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) } ?? word : word
            let whole = URL(filePath: given).path
            if whole == path { return given }
            // FILE:P
            let files = given.indices.filter { given[$0] == ":" }.map { String(given[..<$0]) }
            if let file = files.last(where: { URL(filePath: $0).path == path }) { return file }
            guard !given.isEmpty, path.hasPrefix(whole), path.dropFirst(whole.count).first == "/" else { continue }
            let rest = path.dropFirst(whole.count + 1)
            if best.map({ rest.count < $0.rest.count }) ?? true { best = (given, rest) }
        }
        return best.map { Self.path(of: String($0.rest), in: $0.directory) } ?? path
    }
}
