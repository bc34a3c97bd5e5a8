import HindsightFormat
import HindsightSupport
import Synchronization

/// Finds the stack frames of an interrupted thread by frame pointers.
///
/// Sound: memory that may not be mapped is read through a pipe, so that the system returns an error and raises no
/// signal. ``prepare()`` creates all else before a handler runs. One handler at a time uses it. Without a pipe, it finds
/// the interrupted instruction only.
enum CrashFrames {
    /// Two words of a frame, and the pipe through which they are read.
    nonisolated(unsafe) private static let frame = CrashMarker.zeros(of: UInt.self, 2) { 0 }
    nonisolated(unsafe) private static let pipes = CrashMarker.zeros(of: Int32.self, 2) { -1 }
    nonisolated(unsafe) private static let isPrepared = CrashMarker.zeros(of: Atomic<Bool>.self, 1) { Atomic(false) }

    /// Creates the pipe, at the first call in a process.
    static func prepare() {
        guard !isPrepared[0].exchange(true, ordering: .relaxed) else { return }
        frame[0] = 0
        guard pipe(pipes) == 0 else { return }
        for index in 0..<2 {
            _ = fcntl(pipes[index], F_SETFD, FD_CLOEXEC)
            _ = fcntl(pipes[index], F_SETFL, O_NONBLOCK)
        }
    }

    /// Closes the parent's pipe in a forked process: two crashes would read each other's frames. Safe in a signal
    /// handler.
    static func beginFork() {
        for index in 0..<2 {
            _ = close(pipes[index])
            pipes[index] = -1
        }
        isPrepared[0].store(false, ordering: .relaxed)
    }

    /// Follows the frame pointers up the stack, and writes the frames into a record. Safe in a signal handler.
    static func walk(_ registers: Registers, to record: UnsafeMutablePointer<UInt64>) {
        let frames = record + CrashRecord.Layout.frames
        frames[0] = UInt64(registers.programCounter)
        var (count, at) = (1, registers.framePointer)
        // Code without frame pointers may have any value in the register.
        if !isFrame(at) { at = search(from: registers.stackPointer) }
        while count < CrashRecord.maxFrames, isFrame(at) {
            // The return address is behind the call, and may belong to the next line.
            frames[count] = UInt64(frame[1] & Registers.addressBits) &- 1
            count += 1
            guard leadsOn(from: at) else { break }
            at = frame[0]
        }
        record[CrashRecord.Layout.frameCount] = UInt64(count)
    }

    /// Whether an address may hold a frame that returns to known code. Reads the frame into ``frame``.
    private static func isFrame(_ address: UInt) -> Bool {
        readFrame(address) && CrashImages.image(of: UInt64(frame[1] & Registers.addressBits)) != nil
    }

    /// Whether the caller's frame, according to the frame that was read, is further up the stack, within the size of a
    /// large frame.
    private static func leadsOn(from address: UInt) -> Bool {
        frame[0] > address && frame[0] &- address < 1 << 24
    }

    /// The first of two frames that lead to one another, not far up the stack; 0 if there are none.
    private static func search(from stackPointer: UInt) -> UInt {
        guard stackPointer != 0 else { return 0 }
        for step in 0..<UInt(1024) {
            let address = stackPointer &+ step &* 8
            if isFrame(address), leadsOn(from: address), isFrame(frame[0]) { return address }
        }
        return 0
    }

    /// Reads two words into ``frame``; `false` if the memory is not mapped.
    private static func readFrame(_ address: UInt) -> Bool {
        guard address != 0, address & 7 == 0 else { return false }
        let written = write(pipes[1], UnsafeRawPointer(bitPattern: address), 16)
        if written > 0, read(pipes[0], frame, written) != written { return false }
        return written == 16
    }
}
