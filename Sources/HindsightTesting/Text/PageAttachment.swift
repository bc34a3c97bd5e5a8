import Foundation
import HindsightRecording
import HindsightView
import Testing

/// Attaches pages that show recordings in a browser, if the environment variable `HINDSIGHT_PAGES` asks for them.
package enum PageAttachment {
    /// Whether failures attach pages.
    @TaskLocal package static var isWanted = isSet(ProcessInfo.processInfo.environment["HINDSIGHT_PAGES"])

    /// The number of actions before the one that failed, and after it.
    private static let margin = (before: 100, after: 20)

    static func isSet(_ value: String?) -> Bool { !["", "0", "false", "no"].contains((value ?? "").lowercased()) }

    /// Attaches a page of a recording, which has the recording's name.
    ///
    /// - Parameters:
    ///   - seq: The action that failed, with those around it; `nil` for the whole recording.
    ///   - divergence: What differed there.
    /// - Throws: The errors of reading the recording.
    static func record(
        _ file: URL,
        around seq: Int?,
        _ divergence: PageDivergence?,
        _ sourceLocation: SourceLocation
    ) throws {
        guard isWanted else { return }
        let recording = try Recording(at: file)
        let range = seq.map { part(of: recording, around: $0) }
        var page = try RecordingPage(
            of: recording,
            from: (range?.lowerBound).map { Recording.Position(seq: $0) },
            to: (range?.upperBound).map { Recording.Position(seq: $0) }
        )
        page.divergences = divergence.map { [$0] } ?? []
        var bytes: [UInt8] = []
        try page.write { bytes += $0.utf8 }
        let name = file.deletingPathExtension().lastPathComponent
        TestAttachment.record(bytes, named: "\(name).html", sourceLocation)
    }

    /// The position of the first state, which must be known, and the last action.
    static func part(of recording: Recording, around seq: Int) -> ClosedRange<Int> {
        let start = recording.start.seq
        var first = recording.lastRecorded(before: max(start, min(seq, recording.actionCount) - margin.before) + 1).seq
        if let doubt = recording.doubtfulStates(at: Recording.Position(seq: first)) {
            first = doubt.actions.lowerBound - 1
        }
        first = max(start, first)
        return first...max(first, min(recording.actionCount, seq + margin.after))
    }
}
