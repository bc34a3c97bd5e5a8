import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore

private struct Catalogue: Codable, Sendable {
    struct Product: Codable, Sendable {
        var id: Int
        var name: String
        var price: Int
        var tags: [String]
        var isSold = false
    }
    var products: [Product] = []
    var sold = 0

    static func products(_ count: Int) -> [Product] {
        (0..<count).map { id in
            Product(
                id: id,
                name: "Product number \(id) of the catalogue",
                price: id * 7 % 1_000,
                tags: ["tag-\(id % 9)", "all"]
            )
        }
    }
}

private enum CatalogueAction: Codable, Sendable {
    case load(count: Int)
    case sell(id: Int)
}

private let catalogue = Reducer<Catalogue, CatalogueAction>("catalogue") { state, action in
    switch action {
    case .load(let count):
        state.products = Catalogue.products(count)
    case .sell(let id):
        state.products[id].isSold.toggle()
        state.sold += 1
    }
}

/// Measures the longest dispatch and the peak memory for a state that begins empty and loads 20,000 structs, and for
/// one that has them from the start. Each runs in a separate process, because the peak is that of a process.
func benchmarkGrowth() throws {
    let table = Table("20,000 structs, then 2,000 actions that change one", "longest", "all", "memory", "state", "bar")
    for (name, words) in [
        ("without a recorder", ["none"]), ("loaded by an action", ["load"]), ("there from the start", ["there"]),
    ] {
        let result = try growth(words[0])
        table.row(
            name,
            time(result.longest),
            time(result.all),
            megabytes(result.memory),
            megabytes(result.state),
            name == "loaded by an action" ? "20 ms, 2.5 ×" : ""
        )
    }
    let files = Table("1,000 actions a second for 5 s on the same state", "file", "without states", "bar")
    try inScratchFolder { folder in
        let blocking = try paced(.block, in: folder)
        let dropping = try paced(.dropSnapshots, in: folder)
        files.row("whenBehind: block", megabytes(blocking.bytes), "\(blocking.skipped)", "")
        files.row("whenBehind: dropSnapshots", megabytes(dropping.bytes), "\(dropping.skipped)", "1.5 × the former")
    }
}

private func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }

private struct Growth: Codable {
    var longest: Double
    var all: Double
    var memory: Int
    var state: Int
}

/// Runs `Benchmarks growth-run WAY` and reads what it prints.
private func growth(_ way: String) throws -> Growth {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["growth-run", way]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try JSONDecoder().decode(Growth.self, from: text)
}

/// The measured process.
func runGrowth(_ way: String) throws {
    try inScratchFolder { folder in
        let before = residentBytes()
        let count = 20_000
        let recorder =
            way == "none"
            ? nil
            : try Recorder<Catalogue, CatalogueAction>(
                to: folder.appendingPathComponent("growth.hindsight"),
                app: AppInfo(name: "growth")
            )
        let store = Store(
            initial: Catalogue(products: way == "there" ? Catalogue.products(count) : []),
            reducer: catalogue,
            middleware: [recorder?.middleware].compactMap { $0 }
        )
        try recorder?.flush()
        var longest = Duration.zero
        let clock = ContinuousClock()
        let all = try clock.measure {
            if way != "there" { longest = max(longest, clock.measure { store.dispatch(.load(count: count)) }) }
            for number in 0..<2_000 {
                longest = max(longest, clock.measure { store.dispatch(.sell(id: number * 7 % count)) })
            }
            try recorder?.flush()
        }
        let memory = residentBytes() - before
        try recorder?.close()
        let bytes = store.state.products.reduce(0) { sum, product in
            sum + MemoryLayout<Catalogue.Product>.stride + 64 + 32 + 2 * 16
                + product.tags.reduce(0) { $0 + ($1.utf8.count > 15 ? 48 : 0) }
        }
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
    var options = RecorderOptions(overwrite: true)
    options.whenBehind = whenBehind
    let file = folder.appendingPathComponent("paced.hindsight")
    let recorder = try Recorder<Catalogue, CatalogueAction>(to: file, app: AppInfo(name: "paced"), options: options)
    let store = Store(
        initial: Catalogue(products: Catalogue.products(50_000)),
        reducer: catalogue,
        middleware: [recorder.middleware]
    )
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<5_000 {
        store.dispatch(.sell(id: number * 7 % 50_000))
        let due = start.advanced(by: .milliseconds(number))
        while clock.now < due { usleep(100) }
    }
    try recorder.close()
    return (fileSize(file), recorder.progress.withoutStates)
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
