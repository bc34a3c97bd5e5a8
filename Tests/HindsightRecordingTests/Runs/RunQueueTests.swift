import Foundation
import HindsightSQLite
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The queue of runs in a directory") struct RunQueueTests {
    /// Records a run with the given start in seconds since 1970.
    private func record(_ name: String, at seconds: Int, in scratch: Scratch) throws {
        let (recorder, store) = try shop(at: scratch.file(name))
        store.dispatch(.add(name: "a", price: 1))
        try recorder.close()
        let connection = try Connection(scratch.file(name).path, .readWrite)
        try connection.execute("UPDATE recording SET value = \(seconds)000000000 WHERE key = 'created'")
    }

    @Test("Each run is returned once, in the order of their starts, even if the clock was set back")
    func order() throws {
        let scratch = Scratch()
        for (name, seconds) in [("a.hindsight", 10), ("b.hindsight", 20), ("c.hindsight", 30)] {
            try record(name, at: seconds, in: scratch)
        }
        let queue = try RunQueue(in: scratch.directory, after: scratch.file("b.hindsight"))
        func next() throws -> String? { try queue.next()?.lastPathComponent }
        #expect(try next() == "c.hindsight")
        #expect(try next() == nil)
        try Data("not yet".utf8).write(to: scratch.file("f.hindsight"))
        try record("e.hindsight", at: 50, in: scratch)
        try record("d.hindsight", at: 5, in: scratch)
        #expect(try next() == "d.hindsight")
        #expect(try next() == "e.hindsight")
        #expect(try next() == nil)
        try FileManager.default.removeItem(at: scratch.file("f.hindsight"))
        try record("f.hindsight", at: 60, in: scratch)
        #expect(try next() == "f.hindsight")
        #expect(try next() == nil)
    }
}
