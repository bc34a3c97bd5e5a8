import Testing

@testable import HindsightRecording

@Suite("The line to the writer") struct WorkLineTests {
    @Test("Code that runs on the writer's thread waits for no progress: there would be none")
    func progressOnWriter() {
        let line = WorkLine<Int>(limit: .init(items: 10, bytes: 1000))
        line.add(1, bytes: 1, actions: 1, skipped: 0)
        // Who takes the work is the writer.
        #expect(line.next() == [1])
        line.add(2, bytes: 1, actions: 1, skipped: 0)
        #expect(!line.waitForProgress())
        line.conclude(.closed)
        #expect(line.waitForProgress())
    }
}
