import Foundation

/// The time of one repetition of `body` in nanoseconds: the median of several samples, after a warm-up.
func nanoseconds(samples: Int = 7, repetitions: Int, _ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    for sample in 0...samples {
        let elapsed = try clock.measure {
            for _ in 0..<repetitions { try body() }
        }
        // The first sample warms up.
        if sample > 0 { times.append(elapsed / .nanoseconds(1) / Double(repetitions)) }
    }
    return times.sorted()[times.count / 2]
}

/// The time of one run of `body` in nanoseconds.
func elapsed(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body) / .nanoseconds(1)
}

/// Prevents the optimizer from removing an unused result.
@inline(never) @_optimize(none)
func use<Value>(_ value: Value) {}

/// A table that is printed line by line, so that a long benchmark shows its progress.
struct Table {
    let title: String
    let columns: [String]
    private let width = 13

    init(_ title: String, _ columns: String...) {
        self.title = title
        self.columns = columns
        print("\n\(title.padding(to: 52))" + columns.map { $0.leftPadding(to: width) }.joined())
    }

    func row(_ name: String, _ cells: String...) {
        print("  \(name.padding(to: 50))" + cells.map { $0.leftPadding(to: width) }.joined())
    }
}

/// Formats a time with three digits and a unit.
func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1_000: String(format: "%.0f ns", nanoseconds)
    case ..<1_000_000: String(format: "%.1f µs", nanoseconds / 1_000)
    default: String(format: "%.1f ms", nanoseconds / 1_000_000)
    }
}

/// Formats a number of bytes.
func bytes(_ count: Int) -> String {
    count < 1_000_000
        ? String(format: "%.0f KB", Double(count) / 1e3) : String(format: "%.1f MB", Double(count) / 1e6)
}

func ratio(_ value: Double) -> String {
    String(format: value < 10 ? "%.1f ×" : "%.0f ×", value)
}

extension String {
    func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
    func leftPadding(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

/// Prints the machine and the compiler, on which all numbers depend.
func printMachine() {
    let cores = ProcessInfo.processInfo.processorCount
    let memory = ProcessInfo.processInfo.physicalMemory / 1_073_741_824
    print("\(ProcessInfo.processInfo.operatingSystemVersionString), \(cores) cores, \(memory) GiB")
    #if compiler(>=6.3)
        let compiler = "Swift 6.3 or newer"
    #else
        let compiler = "Swift 6.2"
    #endif
    #if DEBUG
        print("\(compiler), DEBUG BUILD: these numbers mean nothing")
    #else
        print("\(compiler), optimized")
    #endif
}
