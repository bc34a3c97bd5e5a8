import HindsightRecording
import HindsightTree

/// A field that a recording does not have, and to which a reducer gives another value each time it runs on the same
/// state and action.
///
/// Once the recording has the field, each replay would differ there.
package struct UnstableField: Answer, Hashable, CustomStringConvertible {
    /// The number of the action.
    package let seq: Int
    /// The name of the reducer.
    package let name: String
    /// The place in the state.
    package let path: NodePath

    /// The place, the likely cause and the remedy, in two sentences.
    package var description: String {
        "\(path) in action \(seq), reducer \(name): \(Divergence.Cause.random.sentence)"
    }
}

extension Verification {
    /// Runs a step again that changes fields which the recording does not have, and lists those that get other values.
    ///
    /// It does so for the first such step of each reducer, the second, the fourth, and so on, because it costs a few
    /// times the whole state.
    ///
    /// - Parameter step: The last step that has run.
    func noteUnstable(_ step: ReplayedStep, in record: RecordedAction) throws {
        let defaults = replayer.form.defaults
        guard !defaults.isEmpty, !step.patch.isEmpty else { return }
        let places = defaults.map(\.path).filter(step.patch.touches)
        guard !places.isEmpty, !result.unstable.contains(where: { $0.name == step.name }) else { return }
        let count = newFieldSteps[step.reducer, default: 0] + 1
        newFieldSteps[step.reducer] = count
        guard count & (count - 1) == 0 else { return }
        for place in places where try replayer.isUnstable(at: place) {
            result.unstable.append(UnstableField(seq: record.seq, name: step.name, path: place))
        }
    }
}
