import Synchronization

/// What a crashing process has written into a journal: where that stands in the file.
enum CrashRecord {
    /// Where things stand in the record's words.
    enum Layout {
        /// 1 once all the rest is there.
        static let state = 0
        /// The signal's number, and above it the reason that the system gives for it.
        static let signal = 1
        static let address = 2
        static let thread = 3
        static let isMain = 4
        /// 1 where it is the thread that dispatched, 2 where it is not, 0 where nobody did.
        static let dispatching = 5
        static let stackPointer = 6
        static let frameCount = 7
        static let imageCount = 8
        /// Which of the signals it is, from 1: their numbers differ from one system to another.
        static let kind = 9
        /// How many of the frames were found by frame pointers: the others may be what is left of calls that are over.
        static let firmCount = 10
        static let frames = 16
        static let images = frames + mostFrames
    }

    static let mostFrames = 64
    static let mostImages = 14
    static let words = Layout.images + mostImages * CrashImages.Layout.words

    /// Copies a record into a journal. May be called in a signal handler.
    ///
    /// - Parameters:
    ///   - start: The first byte of the journal's mapped head.
    ///   - thread: The thread in which the signal was raised.
    static func write(_ record: UnsafeMutablePointer<UInt64>, to start: UInt, thread: UInt64) {
        typealias Head = Journal.Layout
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

    /// Says in a journal that the process exits.
    static func writeExit(to start: UInt) {
        pointer(start, Journal.Layout.exitOffset)?.pointee = UInt64(1).littleEndian
    }

    private static func pointer(_ start: UInt, _ offset: Int) -> UnsafeMutablePointer<UInt64>? {
        UnsafeMutablePointer(bitPattern: start &+ UInt(bitPattern: offset))
    }

    private static func atom(_ word: UnsafeMutablePointer<UInt64>) -> UnsafeMutablePointer<Atomic<UInt64>>? {
        UnsafeMutablePointer(bitPattern: UInt(bitPattern: word))
    }
}
