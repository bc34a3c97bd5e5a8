import Foundation
import HindsightRecording
import HindsightReplay
import HindsightTree

/// Verifies many recordings in child processes. Each child takes several files, or a part of a long one. If it crashes,
/// another child takes the rest of its files.
final class VerificationJobs {
    /// The work of a child.
    struct Unit {
        /// The indices of the files that have not ended.
        var files: [Int]
        var scope = VerificationTask.Scope()
        /// The number of the part, from 0, if it is one of several of a file.
        var part: Int?
    }

    private final class Worker {
        let process: Isolation
        var unit: Unit
        let output: CapturedFile
        let errors: CapturedFile
        /// The lines that reducers printed while the current file was verified.
        var printed: [UInt8] = []
        var notice: CrashGuard.SlowActionNotice
        var isCancelled = false

        init(_ process: Isolation, _ unit: Unit, _ output: CapturedFile, _ errors: CapturedFile, _ tool: Tool) {
            (self.process, self.unit, self.output, self.errors) = (process, unit, output, errors)
            notice = CrashGuard.SlowActionNotice(tool)
        }
    }

    private let arguments: Arguments
    private let timeout: Double?
    private let parent: CrashGuard
    private var tool: Tool { parent.tool }
    private let corpus: CorpusRun
    private let jobs: Int
    private let options: [String]
    private var queue: VerificationQueue
    private var workers: [Worker] = []

    /// - Throws: The errors of ``CorpusRun/init(_:in:)``.
    init(_ arguments: Arguments, _ timeout: Double?, _ parent: CrashGuard) throws {
        (self.arguments, self.timeout, self.parent) = (arguments, timeout, parent)
        jobs = try arguments[CorpusArguments.jobs] ?? 1
        corpus = try CorpusRun(arguments, in: parent.tool)
        let color = parent.tool.console.style.isOn ? ColorChoice.always : .never
        options =
            CorpusArguments.words(without: arguments) + ["--\(GlobalOptions.color.declaration.name)=\(color.rawValue)"]
        queue = VerificationQueue(corpus.files, jobs: jobs, arguments)
    }

    /// Runs all jobs.
    ///
    /// - Returns: The highest exit code of all files.
    /// - Throws: ``Failure`` if a signal stops the tool, or no child can be started. It kills all children.
    func run() throws -> ExitCode {
        defer { for worker in workers { worker.process.end() } }
        tool.console.output.flush()
        while true {
            while workers.count < jobs, let unit = queue.next() { workers.append(try start(unit)) }
            if workers.isEmpty { break }
            for worker in workers where !worker.isCancelled { try advance(worker) }
            let running = workers.count
            workers.removeAll { $0.isCancelled }
            if workers.count == running { Isolation.wait(for: workers.map(\.process)) }
        }
        tool.console.clearProgress()
        return try corpus.finish()
    }

    private func start(_ unit: Unit) throws -> Worker {
        let (output, errors) = (try CapturedFile(), try CapturedFile())
        let task = VerificationTask(scope: unit.scope, options: options, files: unit.files.map { corpus.files[$0] })
        let process = try Isolation(
            task,
            by: parent.executable,
            output: output.descriptor,
            errors: errors.descriptor,
            columns: tool.console.terminal.columns
        )
        return Worker(process, unit, output, errors, tool)
    }

    private func advance(_ worker: Worker) throws {
        var isSlow = false
        let end = try worker.process.advance(
            timeout: timeout,
            show: { worker.printed += Array(($0 + "\n").utf8) },
            waiting: { seconds in
                try checkNotStopped()
                if worker.unit.part != nil {
                    isSlow = seconds >= CrashGuard.slowAction
                } else {
                    worker.notice.update(worker.process.progress, seconds)
                }
            }
        )
        for answer in worker.process.progress.takeAnswers() {
            endFile(of: worker, try JSONDecoder().decode(VerificationTask.Details.self, from: Data(answer)))
        }
        // A part that does not go on runs again in one piece, which says where.
        guard end != nil || isSlow, !worker.isCancelled else { return }
        worker.isCancelled = true
        worker.process.end()
        if worker.unit.files.isEmpty {
            // A line without an end.
            tool.console.errors.write(bytes: worker.printed)
            tool.console.errors.flush()
            return
        }
        if let part = worker.unit.part {
            queue.end(worker.unit.files[0], part, VerificationTask.Details())
            cancelParts(of: worker.unit.files[0])
        } else if let end {
            try endCrashed(worker, end)
        }
    }

    /// Takes the result of the first file of a child.
    private func endFile(of worker: Worker, _ details: VerificationTask.Details) {
        guard !worker.unit.files.isEmpty else { return }
        let index = worker.unit.files.removeFirst()
        let (output, errors) = (worker.output.read(upTo: details.output), worker.errors.read(upTo: details.errors))
        defer { worker.printed = [] }
        if let part = worker.unit.part {
            queue.end(index, part, details, printed: worker.printed)
            cancelParts(of: index)
            return
        }
        let result = CorpusRun.Result(
            code: ExitCode(rawValue: details.code),
            seconds: details.seconds + queue.seconds(of: index),
            output: output,
            errors: queue.printed(of: index) + worker.printed + errors,
            node: details.result
        )
        end(index, result)
    }

    /// Ends the children whose parts come after one that diverged.
    private func cancelParts(of index: Int) {
        for worker in workers {
            guard let part = worker.unit.part, worker.unit.files == [index], queue.isObsolete(index, part) else {
                continue
            }
            worker.process.end()
            worker.isCancelled = true
        }
    }

    /// Reports the file in which a child has ended.
    private func endCrashed(_ worker: Worker, _ end: Isolation.End) throws {
        let (captured, text) = tool.capturing()
        let (output, errors) = (worker.output.read(), worker.errors.read())
        let index = worker.unit.files.removeFirst()
        let failed: CrashGuard.Conclusion.FailedFile
        let code: ExitCode
        do {
            let reporter = CrashGuard(captured, parent.executable)
            let conclusion = try reporter.conclude(worker.process, end, [VerifyCommand.syntax.name])
            code = conclusion.code == .fine ? .crash : conclusion.code
            let failure = Failure(code, "The process that verified it ended without a result.")
            failed = conclusion.failed ?? .init(file: corpus.files[index], failure: failure)
        } catch let failure as Failure {
            // A signal for all, or a child that ended between two files.
            if failure.code.rawValue > 128 { throw failure }
            code = failure.code
            failed = .init(file: corpus.files[index], failure: failure)
        }
        _ = captured.report(failed.failure)
        let node = VerifyCommand.node(ofFailed: failed.file, because: failed.failure, failed.report?.crash)
        if arguments[GlobalOptions.json] { captured.console.print(json: node) }
        captured.console.finish()
        let result = CorpusRun.Result(
            code: code,
            seconds: queue.seconds(of: index),
            output: output + text.output,
            errors: queue.printed(of: index) + worker.printed + errors + text.errors,
            node: node
        )
        self.end(index, result)
        if !worker.unit.files.isEmpty { queue.putBack(worker.unit) }
    }

    private func end(_ index: Int, _ result: CorpusRun.Result) {
        corpus.end(index, result)
        tool.console.output.flush()
        let all = Quantities.counted(corpus.files.count, "recording")
        let diverged = corpus.divergedCount == 0 ? "" : ", \(Quantities.grouped(corpus.divergedCount)) diverged"
        tool.console.progress("\(Quantities.grouped(corpus.endedCount)) of \(all)\(diverged)")
    }

    private func checkNotStopped() throws {
        try TerminationSignal.check { signal in
            let all = Quantities.counted(corpus.files.count, "recording")
            return "Stopped by signal \(signal) after \(Quantities.grouped(corpus.endedCount)) of \(all)."
        }
    }
}
