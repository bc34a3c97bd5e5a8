import HindsightFormat
import HindsightSupport
import Synchronization

extension CrashRecord {
    /// Copies a record into a journal. Safe in a signal handler.
    ///
    /// - Parameters:
    ///   - start: The first byte of the journal's mapped header.
    ///   - thread: The thread that received the signal.
    static func write(_ record: UnsafeMutablePointer<UInt64>, to start: UInt, thread: UInt64) {
        typealias Head = JournalLayout
        guard let target = pointer(start, Head.crashOffset), let phase = pointer(start, Head.phaseOffset),
            let dispatching = pointer(start, Head.threadOffset)
        else { return }
        atom(target)?.pointee.store(0, ordering: .sequentiallyConsistent)
        for word in 1..<words { target[word] = record[word].littleEndian }
        if let mark = PhaseMark(word: UInt64(littleEndian: phase.pointee)), mark.kind != .idle {
            target[Layout.dispatching] = UInt64(dispatching.pointee == thread ? 1 : 2).littleEndian
        }
        atom(target)?.pointee.store(UInt64(1).littleEndian, ordering: .sequentiallyConsistent)
    }

    /// Marks in a journal that the process called `exit`.
    static func writeExit(to start: UInt) {
        pointer(start, JournalLayout.exitOffset)?.pointee = UInt64(1).littleEndian
    }

    private static func pointer(_ start: UInt, _ offset: Int) -> UnsafeMutablePointer<UInt64>? {
        UnsafeMutablePointer(bitPattern: start &+ UInt(bitPattern: offset))
    }

    private static func atom(_ word: UnsafeMutablePointer<UInt64>) -> UnsafeMutablePointer<Atomic<UInt64>>? {
        UnsafeMutablePointer(bitPattern: UInt(bitPattern: word))
    }
}
