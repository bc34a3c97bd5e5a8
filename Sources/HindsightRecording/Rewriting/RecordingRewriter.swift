import HindsightFormat
import HindsightSupport
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes a recording with converted actions and states into a new file.
package struct RecordingRewriter {
    /// What an action is in the output: one action, several, or none.
    package typealias Actions = (_ payload: Node, _ seq: Int) throws -> [Node]
    package typealias State = (_ state: Node, _ position: Recording.Position) throws -> Node

    let recording: Recording
    let actions: Actions
    let state: State

    package init(_ recording: Recording, actions: @escaping Actions, state: @escaping State) {
        (self.recording, self.actions, self.state) = (recording, actions, state)
    }

    /// Creates the output completely or not at all. Costs each state, for each reducer that changed it.
    ///
    /// - Parameters:
    ///   - output: The new file. It is a text if its name ends in `.jsonl`, a database if it ends in `.hindsight`, and
    ///     else like the recording.
    ///   - schema: The schema of the output.
    ///   - progress: Called with the number of each action that was written.
    /// - Returns: The number of actions in the output.
    /// - Throws: A `RecordingError` with the code `live`, `unreadable` if the recording must be recovered first,
    ///   `exists`, `inUse` or `unwritable`, or one of reading; and the errors of the conversions and of `progress`.
    package func write(
        to output: URL,
        schema: Int,
        overwrite: Bool,
        progress: (Int) throws -> Void
    ) throws -> Int {
        try NewRecording.write(of: recording, to: output, overwrite: overwrite) { path in
            try RewritingRun(of: self, to: path).run(schema: schema, progress)
        }
    }

    /// Puts the output, as a database, in the place of the copy that a replacement has made of the recording.
    ///
    /// - Throws: As ``write(to:schema:overwrite:progress:)``.
    package func write(
        into replacement: FileReplacement,
        schema: Int,
        progress: (Int) throws -> Void
    ) throws -> Int {
        let path = replacement.temporaryPath
        return try NewRecording.naming(replacement.destination, insteadOf: [path]) {
            guard truncate(path, 0) == 0 else { throw SystemError.last }
            return try RewritingRun(of: self, to: path).run(schema: schema, progress)
        }
    }
}
