import Foundation
import HindsightSupport
import HindsightTree

/// Writes and merges the reports of `verify --report`.
enum ReportFiles {
    /// - Throws: ``Failure`` if a report cannot be written.
    static func write(_ outcomes: [VerificationOutcome], to reports: [CorpusArguments.ReportFile]) throws {
        for report in reports {
            let text =
                switch report.format {
                case .junit: JUnitReport.text(outcomes)
                case .json: outcomes.map { printable($0.json) + "\n" }.joined()
                }
            let url = URL(filePath: report.path)
            do {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: url, options: .atomic)
            } catch {
                throw Failure(.badFile, "Could not write the report \(escape(report.path)): \(escape("\(error)")).")
            }
        }
    }

    /// Reads JSON reports. Of the lines about the same file, the last counts.
    ///
    /// - Throws: ``Failure`` if a file cannot be read, or is no JSON report.
    static func read(_ paths: [String]) throws -> [VerificationOutcome] {
        var outcomes: [VerificationOutcome] = []
        var places: [String: Int] = [:]
        for path in paths {
            let bytes: Data
            do {
                bytes = try Data(contentsOf: URL(filePath: path))
            } catch {
                throw Failure(.badFile, "Could not read the report \(escape(path)): \(escape("\(error)")).")
            }
            for (number, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
                guard let outcome = outcome(line) else {
                    throw Failure(
                        .badFile,
                        "\(escape(path)), line \(number + 1), is not a line of a JSON report.",
                        "Give the files that --report json:FILE wrote."
                    )
                }
                if let place = places[outcome.file] {
                    outcomes[place] = outcome
                } else {
                    places[outcome.file] = outcomes.count
                    outcomes.append(outcome)
                }
            }
        }
        return outcomes
    }

    private static func outcome(_ line: Data) -> VerificationOutcome? {
        do {
            return VerificationOutcome(try Node(jsonBytes: line))
        } catch {
            return nil
        }
    }

    /// `verify --merge-reports FILE…`
    static func merge(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let reports = try arguments.all(CorpusArguments.report)
        if reports.isEmpty {
            let option = CorpusArguments.report.declaration
            throw UsageError(arguments.syntax.name, .missingOption("--" + option.name, in: option))
        }
        let outcomes = try read(arguments.all(VerifyCommand.files))
        try write(outcomes, to: reports)
        let words = [VerificationOutcome.Verdict.equal, .diverged, .unknown, .failed, .unchanged].compactMap {
            verdict in
            let count = outcomes.count { $0.verdict == verdict }
            return count == 0 ? nil : "\(Quantities.grouped(count)) \(verdict.rawValue)"
        }
        let list = words.isEmpty ? "" : ": " + words.joined(separator: ", ")
        tool.console.print("\(Quantities.counted(outcomes.count, "recording"))\(list)")
        return outcomes.map(\.code).max() ?? .fine
    }
}
