import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore

/// Measures the longest dispatch and the peak memory for a state that begins empty and loads 20,000 structs, and for
/// one that has them from the start. Each runs in a separate process, because the peak is that of a process.
func benchmarkGrowth() throws {
    let table = Table("20,000 structs, then 2,000 actions that change one", "longest", "all", "memory", "state", "bar")
    for (name, words) in [
        ("without a recorder", ["none"]), ("loaded by an action", ["load"]), ("there from the start", ["there"]),
        ("loaded by an action, computed", ["load", "computed"]),
    ] {
        let result: Growth = try measured(["growth-run"] + words)
        table.row(
            name,
            time(result.longest),
            time(result.all),
            bytes(result.memory),
            bytes(result.state),
            name.hasPrefix("loaded") ? words.count > 1 ? "5 ms, 2.5 ×" : "20 ms, 2.5 ×" : ""
        )
    }
    let files = Table("1,000 actions a second for 5 s on the same state", "file", "without states", "bar")
    try inScratchFolder { folder in
        let blocking = try paced(.block, in: folder)
        let dropping = try paced(.dropSnapshots, in: folder)
        files.row("whenBehind: block", bytes(blocking.bytes), "\(blocking.skipped)", "")
        files.row("whenBehind: dropSnapshots", bytes(dropping.bytes), "\(dropping.skipped)", "1.5 × the former")
    }
}

private struct Growth: Codable {
    var longest: Double
    var all: Double
    var memory: Int
    var state: Int
}

/// Runs this program with other arguments, and reads what it prints.
func measured<Result: Decodable>(_ arguments: [String]) throws -> Result {
    // Less than a pipe holds.
    let output = Pipe()
    _ = try Spawned.run(CommandLine.arguments[0], arguments, output: output.fileHandleForWriting.fileDescriptor)
    try output.fileHandleForWriting.close()
    return try JSONDecoder().decode(Result.self, from: output.fileHandleForReading.readDataToEndOfFile())
}

/// The measured process.
func runGrowth(_ way: String, computed: Bool) throws {
    try inScratchFolder { folder in
        let before = residentBytes()
        let count = 20_000
        let initial = ItemsState(items: way == "there" ? Item.some(count) : [])
        let options = RecorderOptions(states: computed ? .computed() : .captured)
        let recorded = way == "none" ? nil : try recordedStore(initial, items, in: folder, options: options)
        let store = recorded?.store ?? Store(initial: initial, reducer: items)
        try recorded?.recorder.flush()
        var longest = Duration.zero
        let clock = ContinuousClock()
        let all = try clock.measure {
            if way != "there" { longest = max(longest, clock.measure { store.dispatch(.load(count: count)) }) }
            for number in 0..<2_000 {
                longest = max(longest, clock.measure { store.dispatch(.toggle(id: number * 7 % count)) })
            }
            try recorded?.recorder.flush()
        }
        let memory = residentBytes() - before
        try recorded?.recorder.close()
        // Each item has a text and an array on the heap.
        let bytes = count * (MemoryLayout<Item>.stride + 64 + 32 + 2 * 16)
        let result = Growth(
            longest: longest / .nanoseconds(1),
            all: all / .nanoseconds(1),
            memory: memory,
            state: bytes
        )
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
}

private func paced(_ whenBehind: WhenBehind, in folder: URL) throws -> (bytes: Int, skipped: Int) {
    let options = RecorderOptions(overwrite: true, whenBehind: whenBehind)
    let (store, recorder) = try recordedStore(ItemsState(items: Item.some(50_000)), items, in: folder, options: options)
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<5_000 {
        store.dispatch(.toggle(id: number * 7 % 50_000))
        let due = start.advanced(by: .milliseconds(number))
        while clock.now < due { usleep(100) }
    }
    try recorder.close()
    return (fileSize(recorder.url), recorder.progress.withoutStates)
}

/// The peak memory of this process in bytes, as the system counts it.
func residentBytes() -> Int {
    #if canImport(Darwin)
        var usage = rusage()
        guard getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
        return usage.ru_maxrss
    #else
        // Not `getrusage`: on Linux, a new process inherits the peak of its parent.
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    #endif
}
