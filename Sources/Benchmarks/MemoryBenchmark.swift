import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore

private struct Heap: Codable, Sendable {
    var blocks: [[Int]] = []
}

/// Measures the recorder's memory for a state of 100 MB, of which each action changes a block.
func benchmarkMemory() throws {
    let table = Table("Memory beside a state of 100 MB", "state", "with recorder", "added", "bar")
    try inScratchFolder { folder in
        let before = residentBytes()
        // Numbers of one digit, so that the text is not much larger than the state.
        var state: Heap? = Heap(blocks: (0..<200).map { block in (0..<65_536).map { ($0 &+ block) % 10 } })
        let stateBytes = residentBytes() - before
        let set = Reducer<Heap, Int>("set") { $0.blocks[$1 % 200][$1 % 65_536] &+= 1 }
        let (store, recorder) = try recordedStore(state ?? Heap(), set, in: folder)
        state = nil
        for number in 0..<400 { store.dispatch(number * 12_345) }
        try recorder.flush()
        let added = residentBytes() - before - stateBytes
        try recorder.close()
        table.row(
            "400 actions, each changes one of 200 blocks",
            bytes(stateBytes),
            bytes(stateBytes + added),
            bytes(added),
            bytes(stateBytes + (64 << 20))
        )
    }
}
