/// What has become of a recorded crash after a run of changed actions: the action in which the recorded process ended
/// ran through.
package struct CrashVerdict: Sendable, Hashable {
    /// The number of the action in the recording.
    package let seq: Int
    /// Its number in the changed log.
    package let number: Int

    /// - Parameters:
    ///   - recording: The recording whose actions were changed.
    ///   - log: The changed log, all of which has run.
    /// - Returns: `nil` if the recorded process did not end in an action, or the changed log leaves it out.
    package init?(of recording: Recording, running log: ChangedLog) {
        guard case .crashed(let seq, _) = recording.ending, let number = log.number(of: seq) else { return nil }
        (self.seq, self.number) = (seq, number)
    }
}

extension CrashVerdict: CustomStringConvertible {
    package var description: String {
        "Action \(number) of the changed log, in which the recorded process ended, ran through: no crash."
    }
}
