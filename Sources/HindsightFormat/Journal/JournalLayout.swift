/// The layout of a journal's file.
package enum JournalLayout {
    /// The first eight bytes: "HSTAHEAD".
    package static let magic: UInt64 = 0x4441_4548_4154_5348
    package static let version: UInt64 = 1
    package static let versionOffset = 8
    package static let markOffset = 64
    /// Beside the mark, so that both are on the disk or neither is.
    package static let phaseOffset = 72
    /// 1 if the process has called `exit`.
    package static let exitOffset = 80
    /// The dispatching thread.
    package static let threadOffset = 88
    package static let tailOffset = 128
    package static let begunOffset = 192
    /// Two places for a ``PhaseMark/Entry``: the parent, the line, the number of bytes, and the bytes of the file's
    /// name.
    package static let entryOffset = 512
    package static let entrySize = 256
    /// The ``CrashRecord``.
    package static let crashOffset = 1024
    /// The number of bytes before the ring.
    package static let head = 4096
}
