import Foundation
import HindsightSupport
import HindsightTree

/// The verification of many recordings: which of them to verify, and what becomes of the results. It prints them in the
/// order of the files.
final class CorpusRun {
    /// What is known of a verified file.
    struct Result {
        var code: ExitCode
        var seconds = 0.0
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var node: Node?
    }

    /// The recordings of this shard.
    let files: [String]
    private(set) var endedCount = 0
    private(set) var divergedCount = 0

    private let tool: Tool
    private let reports: [CorpusArguments.ReportFile]
    private var results: [Result?]
    private var outcomes: [VerificationOutcome] = []
    private var worst = ExitCode.fine

    /// - Throws: ``UsageError``, or ``Failure`` if a directory cannot be read.
    init(_ arguments: Arguments, in tool: Tool) throws {
        self.tool = tool
        _ = try VerificationArguments.options(arguments)
        _ = try VerifyCommand.book(arguments)
        reports = try arguments.all(CorpusArguments.report)
        let all = try VerifyCommand.recordings(arguments)
        if let shard = try arguments[CorpusArguments.shard] {
            let part = shard.files(of: all)
            files = part.files
            let count = Quantities.counted(all.count, "recording")
            tool.console.note(
                "Shard \(shard.number) of \(shard.count): \(Quantities.grouped(files.count)) of \(count),"
                    + " \(Quantities.bytes(part.bytes)) of \(Quantities.bytes(part.all))."
            )
        } else {
            files = all
        }
        results = Array(repeating: nil, count: files.count)
    }

    /// Takes the result of a file, and prints all results whose turn it is.
    func end(_ index: Int, _ result: Result) {
        results[index] = result
        endedCount += 1
        if result.code == .difference { divergedCount += 1 }
        while outcomes.count < files.count, let result = results[outcomes.count] {
            let index = outcomes.count
            results[index] = nil
            if !result.errors.isEmpty || !result.output.isEmpty { tool.console.clearProgress() }
            tool.console.output.flush()
            tool.console.errors.write(bytes: result.errors)
            tool.console.errors.flush()
            tool.console.output.write(bytes: result.output)
            worst = max(worst, result.code)
            outcomes.append(
                VerificationOutcome(
                    file: files[index],
                    code: result.code,
                    seconds: result.seconds,
                    printed: String(decoding: result.output + result.errors, as: UTF8.self),
                    result: result.node
                )
            )
        }
    }

    /// Writes the reports. Call it once all files have ended.
    ///
    /// - Returns: The highest exit code.
    /// - Throws: ``Failure`` if a report cannot be written.
    func finish() throws -> ExitCode {
        for report in reports { try write(report) }
        return worst
    }

    private func write(_ report: CorpusArguments.ReportFile) throws(Failure) {
        let text =
            switch report.format {
            case .junit: JUnitReport.text(outcomes)
            case .json: outcomes.map { printable($0.json) + "\n" }.joined()
            }
        let url = URL(filePath: report.path)
        do {
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url, options: .atomic)
        } catch {
            throw Failure(.badFile, "Could not write the report \(escape(report.path)): \(escape("\(error)")).")
        }
    }
}
