import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore

private struct Heap: Codable, Sendable {
    var blocks: [[Int]] = []
}

/// Measures the recorder's memory for a state of 100 MB, of which each action changes a block. Each mode runs in a
/// process of its own, because the peak is that of a process.
func benchmarkMemory() throws {
    let table = Table("400 actions, each changes one of 200 blocks", "state", "with recorder", "added", "bar")
    for mode in ["captured", "computed"] {
        let numbers: [Int] = try measured(["memory-run", mode])
        let (state, added) = (numbers[0], numbers[1])
        let bar = mode == "captured" ? state + (64 << 20) : state
        table.row(mode, bytes(state), bytes(state + added), bytes(added), bytes(bar))
    }
}

/// The measured process: prints the size of the state and what the recorder adds, in bytes.
func runMemory(_ states: StateSource) throws {
    try inScratchFolder { folder in
        let before = residentBytes()
        // Numbers of one digit, so that the text is not much larger than the state.
        var state: Heap? = Heap(blocks: (0..<200).map { block in (0..<65_536).map { ($0 &+ block) % 10 } })
        let stateBytes = residentBytes() - before
        let set = Reducer<Heap, Int>("set") { $0.blocks[$1 % 200][$1 % 65_536] &+= 1 }
        let (store, recorder) = try recordedStore(
            state ?? Heap(),
            set,
            in: folder,
            options: RecorderOptions(states: states)
        )
        state = nil
        for number in 0..<400 { store.dispatch(number * 12_345) }
        try recorder.flush()
        let added = residentBytes() - before - stateBytes
        try recorder.close()
        print([stateBytes, added])
    }
}
