import Foundation
import Synchronization
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

    @Test("Dispatch waits as long as the writer waits for the disk")
    func onDisk() {
        let channel = WriterChannel<Int>(limit: .init(items: 1, bytes: 1000))
        channel.add(1, bytes: 1, actions: 1, skipped: 0)
        let goesOn = Goes()
        channel.waitingForDisk {
            Thread.detachNewThread {
                channel.waitForRoom()
                goesOn.turnOn()
            }
            usleep(350_000)
            #expect(!goesOn.isOn)
        }
        for _ in 0..<2000 where !goesOn.isOn { usleep(5_000) }
        #expect(goesOn.isOn)
    }

    private final class Goes: Sendable {
        private let on = Atomic(false)
        var isOn: Bool { on.load(ordering: .acquiring) }
        func turnOn() { on.store(true, ordering: .releasing) }
    }
}
