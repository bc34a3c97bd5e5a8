import Foundation
import HindsightSupport

/// The recordings that tests have used, as the module HindsightTesting lists them: a path a line.
struct References {
    private let paths: Set<String>

    init(at path: String) throws(Failure) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(
                .badFile,
                "\(escape(path)) cannot be read.",
                "Run the tests with HINDSIGHT_REFERENCES=\(ShellQuoting.quote(path)) first."
            )
        }
        paths = Set(String(decoding: data, as: UTF8.self).split(separator: "\n").map { Self.resolved(String($0)) })
    }

    func contains(_ path: String) -> Bool { paths.contains(Self.resolved(path)) }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
