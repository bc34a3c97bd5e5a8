import Dispatch
import Foundation
import HindsightFormat
import HindsightSupport

/// Deletes old runs of a directory, on a thread of its own.
final class RunCleaner: Sendable {
    private let directory: URL
    private let retention: Retention
    private let app: String
    /// The new run.
    private let present: String
    private let presentBytes: Int64
    private let done = DispatchGroup()

    init(of directory: URL, by retention: Retention, app: String, besides present: URL, bytes: Int?) {
        self.directory = directory
        self.retention = retention
        self.app = app
        self.present = present.lastPathComponent
        presentBytes = Int64(bytes ?? 0)
    }

    /// Starts the thread. The first failure is reported; runs that cannot be deleted stay.
    func start(report: @escaping @Sendable (RecordingError) -> Void) {
        guard retention != .all else { return }
        done.enter()
        do {
            try BackgroundThread.start {
                let failure = self.run()
                // Must come first, because `onError` may wait for the cleaner.
                self.done.leave()
                if let failure { report(failure) }
            }
        } catch {
            done.leave()
            report(RecordingError(.notDeleted, file: directory.path, cause: error))
        }
    }

    /// Waits until the thread has ended.
    func wait() { done.wait() }

    /// - Returns: The first failure. It does not stop the deletion of other runs.
    private func run() -> RecordingError? {
        var failure: RecordingError?
        do {
            let runs = try RunFile.names(in: directory).filter { $0 != present }.compactMap(run)
            for run in retention.expired(of: runs, present: presentBytes, now: SystemClock.wall) {
                do {
                    try RunFile.delete(run.path) { RunFile(run.path)?.identity == run.file }
                } catch {
                    failure = failure ?? RecordingError(.notDeleted, file: run.path, cause: error)
                }
            }
            try removeRemains()
        } catch {
            failure = failure ?? RecordingError(.notDeleted, file: directory.path, cause: error)
        }
        return failure
    }

    // MARK: Finding runs

    /// Returns a run of the same app; `nil` for any other file.
    private func run(_ name: String) -> Retention.Run? {
        let url = directory.appendingPathComponent(name)
        guard let run = RunFile(url.path) else { return nil }
        do {
            // A file of another kind, or one that cannot be read, must not be deleted.
            let file = try ReadableFile(path: url.path)
            let facts = try file.facts()
            guard facts.app == app else { return nil }
            return Retention.Run(
                path: url.path,
                created: facts.created,
                ended: run.ended,
                bytes: run.bytes,
                isLive: file.journal.isLive,
                file: run.identity
            )
        } catch {
            return nil
        }
    }

    // MARK: Deleting runs

    /// Removes the remains of an interrupted deletion.
    private func removeRemains() throws {
        let suffix = JournalFile.path(for: RunName.suffix)
        for name in try RunFile.names(in: directory, endingIn: suffix) {
            let path = String(directory.appendingPathComponent(name).path.dropLast(JournalFile.path(for: "").count))
            // A deletion leaves the journal to the end. With other files, it belongs to a recording that was moved away.
            guard !FileSystem.exists(path), SidecarFiles.existing(beside: path).count == 1,
                let lock = try RunFile.lock(path)
            else { continue }
            // Taking the lock creates the file again if its recorder has just been closed.
            if !FileSystem.exists(path), lock.isOurs { lock.remove() } else { lock.removeIfEmpty() }
        }
    }
}
