import HindsightRecording
import HindsightReplay

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
}
