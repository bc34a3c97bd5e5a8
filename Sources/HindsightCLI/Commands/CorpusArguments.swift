import Foundation
import HindsightSupport

/// The arguments for the verification of many recordings.
enum CorpusArguments {
    /// The format of a report, and the file that it is written to.
    struct ReportFile: Sendable, Equatable {
        enum Format: String, Sendable, CaseIterable { case junit, json }

        let format: Format
        let path: String

        init?(_ text: String) {
            guard let colon = text.firstIndex(of: ":"), let format = Format(rawValue: String(text[..<colon])) else {
                return nil
            }
            (self.format, path) = (format, String(text[text.index(after: colon)...]))
            if path.isEmpty { return nil }
        }
    }

    static let jobs = Option<Int>(
        "jobs",
        short: "j",
        value: "N",
        expected: "a number of processes from 1 to 512, or auto",
        help: "Run N processes at once; auto is one for each core. Long recordings are split too."
    ) { processes($0, from: 1) }
    static let shard = Option<Shard>(
        "shard",
        value: "K/N",
        expected: "the number of this part and of all, such as 2/3",
        help: "Verify only the Kth of N parts of the recordings, which their content decides."
    ) { Shard($0) }
    static let report = Option<ReportFile>(
        "report",
        value: "FORMAT:FILE",
        expected: "junit:FILE or json:FILE",
        repeating: true,
        help: "Also write a report: junit:out.xml or json:out.jsonl. May be repeated."
    ) { ReportFile($0) }

    static var declarations: [any Argument] { [jobs, shard, report] }

    /// A number of processes, or `auto`; `nil` for another text.
    static func processes(_ text: String, from least: Int) -> Int? {
        if text == "auto" { return max(1, ProcessInfo.processInfo.activeProcessorCount) }
        return Int(text).flatMap { least...512 ~= $0 ? $0 : nil }
    }

    /// Whether an argument is given that only concerns many recordings.
    static func areGiven(_ arguments: Arguments) -> Bool {
        declarations.contains { arguments.isGiven($0) }
    }

    /// The other options, as words for a child process.
    static func words(without arguments: Arguments) -> [String] {
        let own: [any Argument] = declarations + [GlobalOptions.color]
        return arguments.words(without: Set(own.map(\.declaration.name)))
    }
}
