import Foundation
import HindsightSupport
import HindsightTree

/// Writes the reports of `verify --report`.
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
}
