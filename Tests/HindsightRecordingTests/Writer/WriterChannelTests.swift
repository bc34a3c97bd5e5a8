import Foundation
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The channel to the writer") struct WriterChannelTests {
    @Test("Waiting for progress on the writer's own thread returns at once")
    func progressOnWriter() {
        let channel = WriterChannel<Int>(limit: .init(items: 10, bytes: 1000))
        channel.add(1, bytes: 1, actions: 1, skipped: 0)
        // The thread that takes work is the writer.
        #expect(channel.next() == [1])
        channel.add(2, bytes: 1, actions: 1, skipped: 0)
        #expect(!channel.waitForProgress())
        channel.conclude(.closed)
        #expect(channel.waitForProgress())
    }

    @Test("If the writer is blocked, the channel accepts twice as much at once, and then waits again")
    func heldUp() {
        let channel = WriterChannel<Int>(limit: .init(items: 1, bytes: 1000))
        for item in 1...3 {
            let time = ContinuousClock().measure { channel.waitForRoom() }
            if item > 1 { #expect(time > .milliseconds(50), "\(item)") }
            channel.add(item, bytes: 1, actions: 1, skipped: 0)
        }
    }

    @Test("Waiting for progress ends with the writer's next batch, though more work is always waiting")
    func progress() {
        let line = WriterChannel<Int>(limit: .init(items: 10, bytes: 1000))
        line.add(1, bytes: 1, actions: 1, skipped: 0)
        #expect(line.next() == [1])
        let (hasProgress, goesOn) = (Guarded(false), Guarded(false))
        line.waitingForDisk {
            Thread.detachNewThread {
                if line.waitForProgress() { hasProgress.withLock { $0 = true } }
                goesOn.withLock { $0 = true }
            }
            // The other thread may begin late.
            let deadline = Date(timeIntervalSinceNow: 60)
            var item = 1
            while !goesOn.withLock({ $0 }), Date() < deadline {
                item += 1
                line.add(item, bytes: 1, actions: 1, skipped: 0)
                line.finish()
                #expect(line.next() == [item])
            }
        }
        #expect(hasProgress.withLock { $0 })
    }

    @Test("Waiting for progress ends at once if all work is done")
    func allDone() {
        let line = WriterChannel<Int>(limit: .init(items: 10, bytes: 1000), yieldTime: 1_000_000)
        #expect(line.waitForProgress())
        onThreads(1) { _ in
            line.add(1, bytes: 1, actions: 1, skipped: 0)
            _ = line.next()
            line.finish()
        }
        #expect(line.waitForProgress())
    }

    @Test("Waiting for progress ends without it if the writer stays at one command for long")
    func noProgress() {
        let line = WriterChannel<Int>(limit: .init(items: 10, bytes: 1000), yieldTime: 1_000_000)
        line.add(1, bytes: 1, actions: 1, skipped: 0)
        let (hasTaken, hasProgress, goesOn) = (Guarded(false), Guarded(false), Guarded(false))
        // The writer never finishes the batch. It lives as long as the waiting thread, which may otherwise get its id.
        Thread.detachNewThread {
            _ = line.next()
            hasTaken.withLock { $0 = true }
            while !goesOn.withLock({ $0 }) { usleep(1_000) }
        }
        while !hasTaken.withLock({ $0 }) { usleep(1_000) }
        Thread.detachNewThread {
            if line.waitForProgress() { hasProgress.withLock { $0 = true } }
            goesOn.withLock { $0 = true }
        }
        for _ in 0..<12_000 where !goesOn.withLock({ $0 }) { usleep(5_000) }
        #expect(goesOn.withLock { $0 })
        #expect(!hasProgress.withLock({ $0 }))
    }

    @Test("Dispatch waits as long as the writer waits for the disk")
    func onDisk() {
        let channel = WriterChannel<Int>(limit: .init(items: 1, bytes: 1000))
        channel.add(1, bytes: 1, actions: 1, skipped: 0)
        let goesOn = Guarded(false)
        channel.waitingForDisk {
            Thread.detachNewThread {
                channel.waitForRoom()
                goesOn.withLock { $0 = true }
            }
            usleep(350_000)
            #expect(!goesOn.withLock({ $0 }))
        }
        for _ in 0..<12_000 where !goesOn.withLock({ $0 }) { usleep(5_000) }
        #expect(goesOn.withLock { $0 })
    }
}
