import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

extension Laboratory {
    /// Prepares the experiments of a child process: points and crashes go to the parent.
    ///
    /// - Parameters:
    ///   - file: The recording.
    ///   - base: The position on whose state lists run.
    /// - Throws: ``Failure``, or the errors of ``Laboratory/init(of:by:from:)``.
    static func begin(
        on file: String,
        from base: Recording.Position,
        in tool: Tool,
        _ replies: ReplyWriter
    ) throws -> (laboratory: Laboratory, recording: Recording) {
        let recording = try tool.open(file, notesLoss: false)
        let laboratory = try Laboratory(of: recording, by: tool.app(of: recording), from: base)
        laboratory.watch = Isolation.watch
        replies.markCrashes()
        return (laboratory, recording)
    }

    /// The failure of actions that lead to something else when they run again: what another list leads to says nothing.
    ///
    /// - Parameter path: A place at which the two runs differ.
    static func unsteady(at path: NodePath, _ recording: Recording, _ tool: Tool, _ advice: String...) -> Failure {
        let place = path.isRoot ? "" : " at \(escape(path.description))"
        let shake = "'\(tool.name) shake \(tool.quoted(recording))'"
        return Failure(
            .nothingCompared,
            lines: [
                "\(tool.shown(recording)): the same actions lead to something else\(place) when they run again, so"
                    + " experiments with them prove nothing.",
                "A reducer depends on more than its state and its action: \(shake) says on what.",
            ] + advice
        )
    }
}
