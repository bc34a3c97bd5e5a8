import HindsightDebugger
import HindsightFormat
import HindsightRecording
import HindsightSupport

/// A recording's file as it was when it was opened, to notice that another program has changed it.
struct OpenedFile {
    private let path: String
    /// Whether it was being recorded, so that it may be written to, also after the last action.
    private let grows: Bool
    private let opened: FileFingerprint?
    private var known: FileFingerprint?
    /// The last sentence of ``change()``; `nil` if nothing has happened to the file, or it is again as it was opened.
    private(set) var lastChange: String?

    init(of recording: Recording) {
        path = recording.url.path
        grows = recording.ending == .open(live: true)
        opened = FileFingerprint(of: path)
        known = opened
    }

    /// What has happened to the file since the last call, as a sentence; `nil` if nothing has.
    mutating func change() -> String? {
        let now = FileFingerprint(of: path)
        defer { known = now }
        if now == known { return nil }
        // It may have been moved away and back.
        if let now, opened?.hasSameContents(as: now) == true {
            lastChange = nil
            return nil
        }
        guard let change = sentence(about: now) else { return nil }
        lastChange = change
        return change
    }

    private func sentence(about now: FileFingerprint?) -> String? {
        guard let now else { return "\(escape(path)) is gone. This is still the recording that was in it." }
        guard let known, known.isSameFile(as: now) else {
            return "\(escape(path)) is another file now. This is still the one that was opened: open it again."
        }
        if grows || known.hasSameContents(as: now) { return nil }
        return "\(escape(path)) was written to by another program. Open it again."
    }

    /// Checks that what reads the file again, in another process, reads the recording that a debugger has open.
    ///
    /// - Throws: ``Failure`` with the last sentence of ``change()``, unless the debugger is on a branch.
    func check(for debugger: Debugger) throws(Failure) {
        if let lastChange, debugger.branch == 0 { throw Failure(.badFile, lastChange) }
    }
}
