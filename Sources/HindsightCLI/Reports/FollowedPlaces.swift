import HindsightQuery
import HindsightRecording
import HindsightTree

/// Finds what actions changed at the places of `--path`, as `history` does: by the values there, not by the paths that were
/// written.
struct FollowedPlaces {
    private let reader: StateReader
    private var watch: PlaceWatch

    /// - Parameter reader: It follows states.
    init(_ path: NodePath, by reader: StateReader) {
        self.reader = reader
        watch = PlaceWatch(PlacePattern(path))
    }

    /// The places that an action changed, each once. Call it for each action in order.
    ///
    /// - Parameter steps: What its reducers did, recorded or computed; `nil` if it is not known.
    /// - Returns: `nil` if it is not known.
    /// - Throws: A `RecordingError` if a state is needed and cannot be read.
    mutating func changes(of seq: Int, _ steps: [RecordedStep]?) throws -> [PlaceWatch.Change]? {
        do {
            let patches = try reader.recording.doubt(in: seq) == nil ? steps?.compactMap(\.patch) : difference(seq)
            return try watch.follow(seq, patches) { try reader.state(before: seq) }
        } catch let error as TreeError {
            throw reader.recording.patchFailure(error, seq: seq, reducer: nil)
        }
    }

    /// How the states before and after an action differ, whose recorded changes may be incomplete.
    private func difference(_ seq: Int) throws -> [Patch]? {
        guard let before = try reader.state(before: seq), let after = try reader.state(before: seq + 1) else {
            return nil
        }
        return [Patch(from: before, to: after)]
    }
}
