import HindsightFormat
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which positions of a recording write which paths.
public final class ChangeIndex {
    private let recording: Recording

    /// The folder in which indexes are kept; `nil` if there is none.
    public static var defaultCache: URL? { nil }

    /// Uses the index in the user's cache folder if it fits the recording, extends it if the recording grew, or builds
    /// it.
    ///
    /// - Parameters:
    ///   - cache: The folder of indexes; `nil` to keep no index.
    ///   - progress: Called with the part that is done, from 0 to 1, while the index is built.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    public init(
        of recording: Recording,
        cache: URL? = ChangeIndex.defaultCache,
        progress: ((Double) -> Void)? = nil
    ) throws(RecordingError) {
        self.recording = recording
    }

    /// The positions with an operation at the path, inside it, or at a place around it, in order.
    ///
    /// A position is that after the reducer; time travel, and a run of actions whose states were left out, have the
    /// position after the action. The positions are exact or a superset, never less.
    ///
    /// - Parameter range: The numbers of the actions. It may exceed the recording.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    public func positions(
        touching path: NodePath,
        in range: ClosedRange<Int>
    ) throws(RecordingError) -> [Recording.Position] {
        var positions: [Recording.Position] = []
        try recording.forEachStepText(in: range) { seq, text in
            for (index, step) in try TimedPatches.read(text).enumerated()
            where step.patch.operations.contains(where: { $0.path.contains(path) || path.contains($0.path) }) {
                positions.append(Recording.Position(seq: seq, reducer: step.duration == nil ? nil : index + 1))
            }
        }
        return positions
    }
}
