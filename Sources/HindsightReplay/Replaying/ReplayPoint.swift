/// A point of a replay at which code of the app begins to run.
///
/// That code may end the process or never return. A tool that receives each point beforehand can report the last one.
package struct ReplayPoint: Hashable, Sendable {
    package enum Phase: UInt8, Sendable {
        /// The action is decoded, by the app's `init(from:)`.
        case decoding
        /// A reducer runs.
        case reducing
        /// The reducer's changes are encoded, by the app's `encode(to:)`.
        case encoding
        /// The action runs again with other placeholders for redacted values, to find the cause of a divergence.
        case retrying
    }

    package let seq: Int
    /// The reducer's number, from 1; 0 while the action is decoded, and if it is not known which code of the app ran.
    package let reducer: Int
    package let phase: Phase

    package init(seq: Int, reducer: Int, phase: Phase) {
        self.seq = seq
        self.reducer = reducer
        self.phase = phase
    }
}
