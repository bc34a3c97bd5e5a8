import Foundation
import HindsightSupport

/// A process that has ended. Foundation's `Process` waits in steps of 50 ms on Linux.
struct Spawned {
    /// From its start to its end, in nanoseconds.
    var time: Double
    /// The CPU time in nanoseconds.
    var cpuTime: Double
    /// The most memory that was resident, in bytes.
    var memory: Double

    private struct Failure: Error {
        let arguments: [String]
    }

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - codes: The exit codes that are no failure.
    ///   - output: The descriptor of its output; `nil` to discard that, and its errors.
    static func run(
        _ path: String,
        _ arguments: [String],
        accepting codes: Set<Int32> = [0],
        output: Int32? = nil
    ) throws -> Spawned {
        let process = SpawnedProcess()
        if let output {
            process.give(output, as: STDOUT_FILENO)
        } else {
            for descriptor in [STDOUT_FILENO, STDERR_FILENO] { process.giveNull(as: descriptor, access: O_WRONLY) }
        }
        let environment = ProcessInfo.processInfo.environment
        var status: Int32 = 0
        var usage = rusage()
        let elapsed = try ContinuousClock().measure {
            let (child, error) = process.start(path, [path] + arguments, environment: environment)
            guard error == 0, wait4(child, &status, 0, &usage) == child, status & 0x7F == 0,
                codes.contains(status >> 8 & 0xFF)
            else { throw Failure(arguments: arguments) }
        }
        func nanoseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3 }
        #if canImport(Darwin)
            let unit = 1.0
        #else
            let unit = 1024.0
        #endif
        return Spawned(
            time: elapsed / .nanoseconds(1),
            cpuTime: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
            memory: Double(usage.ru_maxrss) * unit
        )
    }
}

extension Table {
    /// A row of the times of a process.
    func row(_ name: String, _ run: Spawned, _ cell: String = "", bar: String = "") {
        row(name, time(run.time), time(run.cpuTime), cell, bar)
    }
}
