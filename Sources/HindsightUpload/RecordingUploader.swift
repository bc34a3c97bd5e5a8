public import Foundation
import HindsightFormat
import HindsightSupport

/// Sends the finished runs of a directory to a receiver: `hindsight archive receive`.
///
/// ```swift
/// let uploader = RecordingUploader(of: directory, to: receiver, token: token)
/// uploader.start()
/// ```
///
/// A run is finished if no process records it: it was closed, or its process crashed or was killed. Its files are sent
/// as they are, in parts, and a part that the receiver has is not sent again, so an upload that was interrupted continues
/// where it stopped. A run is deleted only after the receiver has said that its archive has all of it, or takes it no
/// more because it was forgotten or has expired there. A run that the receiver refuses stays, and is sent again only
/// with another token.
///
/// **Cost.** It reads, hashes and deflates each run once, and has a few parts of 256 KB in memory. On Linux, Foundation's
/// `URLSession` keeps a core busy while it waits for an answer.
public final class RecordingUploader: Sendable {
    private let directory: URL
    private let target: String
    private let client: UploadClient
    private let options: UploadOptions
    private let task = Locked<Task<Void, Never>?>(nil)
    /// Whether a pass runs; a second one would send the same.
    private let isBusy = Locked(false)

    /// Creates an uploader. It sends nothing until ``start()`` or ``upload()``.
    ///
    /// - Parameters:
    ///   - directory: Where a recorder keeps the app's runs.
    ///   - receiver: The receiver's address, such as `https://recordings.example.com`.
    ///   - token: What `hindsight archive token` printed. Redirects are not followed, so that no other server gets it.
    public init(of directory: URL, to receiver: URL, token: String, options: UploadOptions = UploadOptions()) {
        (self.directory, self.options) = (directory, options)
        target = "\(receiver.absoluteString) \(token)"
        client = UploadClient(receiver, token, options)
    }

    deinit { task.withLock { $0?.cancel() } }

    /// Sends in the background what is there, and looks again after ``UploadOptions/interval``, until ``stop()`` or the
    /// end of this object. If the receiver takes nothing, it waits twice as long each time, within
    /// ``UploadOptions/waits``, and at least as long as the receiver asks for.
    public func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task(priority: .utility) { [weak self, options] in
                var failures = 0
                while !Task.isCancelled {
                    guard let pass = await self?.pass() else { return }
                    failures = pass.isStopped ? failures + 1 : 0
                    let wait = max(options.wait(after: failures), .seconds(pass.retryAfter))
                    do { try await Task.sleep(for: wait) } catch { return }
                }
            }
        }
    }

    /// Ends what ``start()`` began. The receiver keeps for a day what was sent of a run.
    public func stop() {
        task.withLock { task in
            task?.cancel()
            task = nil
        }
    }

    /// Sends what is there once: for an app that knows when it has the time, such as a background task of iOS.
    ///
    /// - Returns: `true` if every run was sent, refused or put off; `false` if trying again may help, or if an upload runs
    ///   already.
    @discardableResult
    public func upload() async -> Bool { await pass().isDone }

    /// What a look at the directory came to.
    private struct Pass {
        /// Whether no run failed.
        var isDone = true
        /// Whether it ended early, since the next runs would fail, too.
        var isStopped = false
        /// When the receiver wants to be asked again, in seconds.
        var retryAfter = 0

        static let stopped = Pass(isDone: false, isStopped: true)
    }

    private func pass() async -> Pass {
        let isFirst = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFirst else { return .stopped }
        defer { isBusy.withLock { $0 = false } }
        var memory = UploadMemory(in: directory, target: target)
        defer { memory.save() }
        var pass = Pass()
        do {
            for name in try RunFile.names(in: directory).sorted() {
                // One that fails does not keep the others back.
                do {
                    try Task.checkCancellation()
                    try await send(name, &memory)
                } catch {
                    if Task.isCancelled { return .stopped }
                    pass.isDone = false
                    let text = "\(error)".split(separator: "\n").joined(separator: " ")
                    let error = error as? UploadError ?? UploadError(.file, text)
                    options.report(.failed(error))
                    if error.concernsAll {
                        return Pass(isDone: false, isStopped: true, retryAfter: error.retryAfter ?? 0)
                    }
                }
            }
        } catch {
            options.report(.failed(UploadError(.file, "\(error)")))
            return .stopped
        }
        return pass
    }

    private func send(_ name: String, _ memory: inout UploadMemory) async throws {
        let url = directory.appendingPathComponent(name)
        // Reading the files of a run that this process shows would drop its locks.
        guard !memory.knows(name, RunFingerprint(of: url.path)), !ReadableFile.isOpen(url.path) else { return }
        let run: UploadCandidate
        do {
            guard let found = try UploadCandidate(url) else { return }
            run = found
        } catch {
            // Reported once.
            let code = (error as? RecordingError)?.code
            if [.notARecording, .empty, .damaged].contains(code) { memory.note(name, RunFingerprint(of: url.path)) }
            throw error
        }
        // SQLite has touched the `-wal` by opening it.
        let fingerprint = RunFingerprint(of: url.path)
        switch options.decide(run) {
        case .later: return
        case .never: memory.note(name, fingerprint)
        case .upload:
            guard let answer = try await client.send(url) else {
                throw UploadError(.file, "\(name) is being recorded, recovered or deleted.")
            }
            switch answer {
            case .accepted(let outcome, let id):
                if options.deletesUploaded {
                    try RunFile.delete(url.path) { RunFingerprint(of: url.path) == fingerprint }
                } else {
                    memory.note(name, fingerprint)
                }
                options.report(.uploaded(url, outcome, recording: id))
            case .refused(let reason):
                memory.note(name, fingerprint)
                options.report(.refused(url, reason: reason))
            }
        }
    }
}
