import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightReplay
import Synchronization

/// The last point that a replay has reached, and how a signal ended it, in a file that the process that replays maps
/// together with its parent.
///
/// Setting the point costs one store, and what is here survives the end of the process.
final class SharedPoint: @unchecked Sendable {
    // Sound: the memory is mapped until `deinit`, is zero at first, and is accessed only as this one atomic word.
    private let word: UnsafeMutablePointer<Atomic<UInt64>>

    /// The head of a journal, in which a ``CrashMarker`` writes. Its first word, which that leaves alone, is the point.
    static let size = JournalLayout.head

    /// Maps a file, which grows to the size that is needed. `nil` if the system refuses.
    init?(descriptor: Int32) {
        guard ftruncate(descriptor, off_t(Self.size)) == 0 else { return nil }
        let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        word = memory.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    }

    deinit { munmap(word, Self.size) }

    /// The point; `nil` if no action has begun.
    var point: ReplayPoint? {
        get { Self.point(word.pointee.load(ordering: .acquiring)) }
        set { word.pointee.store(newValue.map(Self.word) ?? 0, ordering: .releasing) }
    }

    /// Makes a signal that ends this process write here which it was, and the frames of its thread.
    func markCrashes() {
        // The memory stays mapped until the process ends.
        _ = CrashMarker.marking(UInt(bitPattern: word))
    }

    /// The signal that ended the process; `nil` if there was none, or it was not to be marked.
    var crash: CrashSignal? {
        let start = UnsafeRawPointer(word) + JournalLayout.crashOffset
        return CrashSignal(
            record: (0..<CrashRecord.words).map { start.load(fromByteOffset: $0 * 8, as: UInt64.self).littleEndian }
        )
    }

    // From the lowest bit: 8 bits for the phase and 1, 16 for the reducer, 40 for the action.

    private static func word(_ point: ReplayPoint) -> UInt64 {
        let seq = min(UInt64(clamping: point.seq), 1 << 40 - 1)
        return UInt64(point.phase.rawValue) + 1 | UInt64(UInt16(clamping: point.reducer)) << 8 | seq << 24
    }

    private static func point(_ word: UInt64) -> ReplayPoint? {
        guard let phase = ReplayPoint.Phase(rawValue: UInt8(truncatingIfNeeded: word) &- 1) else { return nil }
        return ReplayPoint(seq: Int(word >> 24), reducer: Int(word >> 8 & 0xFFFF), phase: phase)
    }
}
