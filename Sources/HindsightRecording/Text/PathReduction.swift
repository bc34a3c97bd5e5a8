import HindsightFormat
import HindsightTree

/// Reduces states and changes to one place, and the objects around it. Follows the states meanwhile, so that a change
/// that does not fit is noticed.
///
/// The place keeps its path. An array around it becomes an object whose one member is named like the index, because the
/// other elements are left out. The root keeps everything.
///
/// A class: of a struct on the stack, the optimizer of Swift 6.3.1 releases the first state once too often.
final class PathReduction {
    private let recording: Recording
    private let path: NodePath
    /// The whole state; `nil` if it is not known.
    private var state: Node?

    init(of recording: Recording, to path: NodePath, from state: Node?) {
        (self.recording, self.path, self.state) = (recording, path, state)
    }

    /// Continues with a state to which no changes lead.
    func begin(at state: Node) { self.state = state }

    /// The state with nothing but the place. Without the place, it is an object without members.
    func reduced(_ state: Node) -> Node {
        guard let value = state[path] else { return .object([]) }
        return path.components.reversed().reduce(value) { .object([Node.Member($1, $0)]) }
    }

    /// Reduces the changes of the next action.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` if they do not fit the state.
    func reduce(_ action: inout TextAction, at seq: Int) throws(RecordingError) {
        let isDoubtful = action.doubtful != nil
        switch action.effect {
        case .unknown:
            // The change of a run of skipped actions, at its last, starts from the state before the run.
            if !action.isSkipped { state = nil }
        case .whole(let patch):
            let reduced = try self.reduced(patch, isDoubtful, seq, nil)
            action.outside = patch.changes(outside: path, reduced)
            action.effect = .whole(reduced)
        case .steps(let times, let changes):
            var reduced: [(reducer: Int, patch: Patch)] = []
            for (reducer, patch) in changes {
                let inside = try self.reduced(patch, isDoubtful, seq, reducer)
                action.outside += patch.changes(outside: path, inside)
                if !inside.isEmpty { reduced.append((reducer, inside)) }
            }
            action.effect = .steps(times: times, changes: reduced)
        }
    }

    private func reduced(
        _ patch: Patch,
        _ isDoubtful: Bool,
        _ seq: Int,
        _ reducer: Int?
    ) throws(RecordingError) -> Patch {
        let inside = patch.operations.filter { path.contains($0.path) }
        // A second reference to the state would make the change copy it.
        let before = path.isRoot ? nil : state.map(reduced)
        if var state {
            self.state = nil
            do {
                if isDoubtful { patch.applyLeniently(to: &state) } else { try patch.apply(to: &state) }
            } catch {
                throw recording.patchFailure(error, seq: seq, reducer: reducer)
            }
            self.state = state
        }
        guard let before else { return Patch(inside) }
        // What happens around the place may add, remove or move it.
        let isInside = patch.operations.allSatisfy { operation in
            let container = operation.container
            return path.contains(container) || !container.contains(path)
        }
        if isInside { return Patch(inside) }
        return Patch(from: before, to: state.map(reduced) ?? before)
    }
}

extension Patch.Operation {
    /// The node whose members or elements the operation changes.
    fileprivate var container: NodePath {
        switch self {
        case .add, .remove: NodePath(path.components.dropLast())
        case .replace, .splice, .edit: path
        }
    }
}

extension Patch {
    /// The number of changes outside of a place, as `diff` lists them: one for each element that comes or goes.
    ///
    /// - Parameter inside: What the patch changes at the place.
    fileprivate func changes(outside path: NodePath, _ inside: Patch) -> Int {
        operations.reduce(0) { count, operation in
            let isNear = path.contains(operation.path) || operation.path.contains(path)
            if isNear, !inside.isEmpty { return count }
            if case .splice(_, _, let remove, let insert) = operation { return count + remove.count + insert.count }
            return count + 1
        }
    }
}
