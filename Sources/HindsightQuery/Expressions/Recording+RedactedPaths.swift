import HindsightRecording
import HindsightTree

extension Recording {
    /// Those of some paths, which may have `*`, whose values the recording hides, or below which it hides values at the
    /// start or the end: these values are placeholders, which do not tell whether a value changes.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func redacted(_ paths: [NodePath]) throws(RecordingError) -> [NodePath] {
        guard let mask = try redactionMask() else { return [] }
        var states: [Node] = []
        for position in [start, end] where absence(at: position) == nil { states.append(try state(at: position)) }
        return paths.filter { path in
            mask.hides(path)
                || states.contains { state in
                    let places = PlacePattern(path).places(in: state)
                    return places.contains { !mask.hiddenPaths(in: $0.value, at: $0.path).isEmpty }
                }
        }
    }
}
