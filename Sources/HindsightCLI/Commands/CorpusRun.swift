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
    /// The indices of those to verify.
    private(set) var changed: [Int] = []
    private(set) var endedCount = 0
    private(set) var divergedCount = 0

    private let tool: Tool
    private let reports: [CorpusArguments.ReportFile]
    private let matched: MatchedRecordings?
    private var keys: [String?]
    private var results: [Result?]
    private var outcomes: [VerificationOutcome] = []
    private var worst = ExitCode.fine
    private var hasWarned = false

    /// - Throws: ``UsageError``, or ``Failure`` if a directory or the file of `--cache` cannot be read.
    init(_ arguments: Arguments, in tool: Tool) throws {
        self.tool = tool
        _ = try VerificationArguments.options(arguments)
        reports = try arguments.all(CorpusArguments.report)
        let cache = try arguments[CorpusArguments.cache]
        if cache != nil, !arguments[CorpusArguments.changedOnly] {
            let flag = CorpusArguments.changedOnly.declaration
            throw UsageError(arguments.syntax.name, .missingOption("--" + flag.name, in: flag))
        }
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
        keys = Array(repeating: nil, count: files.count)
        results = Array(repeating: nil, count: files.count)
        guard arguments[CorpusArguments.changedOnly] else {
            matched = nil
            changed = Array(files.indices)
            return
        }
        let path = cache ?? MatchedRecordings.usualPath
        let options = CorpusArguments.words(without: arguments).filter { !Self.isForOutput($0) }
        do {
            matched = try MatchedRecordings(
                at: path,
                executable: Bundle.main.executablePath ?? CommandLine.arguments[0],
                options: options
            )
        } catch {
            throw Failure(
                .badFile,
                "Could not read \(escape(path)), which lists the recordings that matched: \(escape("\(error)")).",
                "Choose another file with --cache."
            )
        }
        for index in files.indices {
            keys[index] = matched?.key(of: files[index])
            if let key = keys[index], matched?.contains(key) == true { continue }
            changed.append(index)
        }
        let pending = Set(changed)
        for index in files.indices where !pending.contains(index) { results[index] = Result(code: .fine) }
        printReady()
    }

    /// Whether an option changes what is printed, and not what is compared.
    private static func isForOutput(_ word: String) -> Bool {
        word == "--" + GlobalOptions.json.declaration.name || word.hasPrefix("--timeout=")
    }

    /// Takes the result of a file, and prints all results whose turn it is.
    func end(_ index: Int, _ result: Result) {
        results[index] = result
        endedCount += 1
        if result.code == .difference { divergedCount += 1 }
        if result.code == .fine, let key = keys[index] { keep(key) }
        printReady()
    }

    private func keep(_ key: String) {
        do {
            try matched?.add(key)
        } catch {
            if hasWarned { return }
            hasWarned = true
            tool.console.note("Could not keep which recordings matched: \(escape("\(error)")).")
        }
    }

    private func printReady() {
        while outcomes.count < files.count, let result = results[outcomes.count] {
            let index = outcomes.count
            results[index]?.output = []
            results[index]?.errors = []
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
        let unchanged = files.count - changed.count
        if unchanged > 0 {
            tool.console.note("\(Quantities.grouped(unchanged)) unchanged since they matched, not run.")
        }
        try ReportFiles.write(outcomes, to: reports)
        return worst
    }
}
