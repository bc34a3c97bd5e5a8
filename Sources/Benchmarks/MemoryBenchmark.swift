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
        let recorder = try Recorder<Heap, Int>(
            to: folder.appendingPathComponent("heap.hindsight"),
            app: AppInfo(name: "heap")
        )
        let store = Store(
            initial: state ?? Heap(),
            reducer: Reducer<Heap, Int>("set") { $0.blocks[$1 % 200][$1 % 65_536] &+= 1 },
            middleware: [recorder.middleware]
        )
        state = nil
        for number in 0..<400 { store.dispatch(number * 12_345) }
        try recorder.flush()
        let added = residentBytes() - before - stateBytes
        try recorder.close()
        table.row(
            "400 actions, each changes one of 200 blocks",
            megabytes(stateBytes),
            megabytes(stateBytes + added),
            megabytes(added),
            megabytes(stateBytes + (64 << 20))
        )
    }
}

private func megabytes(_ bytes: Int) -> String { String(format: "%.0f MB", Double(bytes) / 1e6) }
