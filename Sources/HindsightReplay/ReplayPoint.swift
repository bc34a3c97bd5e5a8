/// A point of a replay before which code of the app runs.
///
/// That code may end the process or never return. A tool that receives each point before it is reached can say where.
package struct ReplayPoint: Hashable, Sendable {
    package enum Phase: UInt8, Sendable {
        /// The action is decoded, by the app's `init(from:)`.
        case decoding
        /// A reducer runs.
        case reducing
        /// What the reducer changed is encoded, by the app's `encode(to:)`.
        case encoding
    }

    package let seq: Int
    /// The reducer's number, from 1; 0 while the action is decoded.
    package let reducer: Int
    package let phase: Phase

    package init(seq: Int, reducer: Int, phase: Phase) {
        self.seq = seq
        self.reducer = reducer
        self.phase = phase
    }
}
