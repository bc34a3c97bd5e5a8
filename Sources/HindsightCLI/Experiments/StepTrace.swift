import CConditions
import Foundation
import HindsightReplay
import HindsightSupport

/// A file with what a run has changed: the JSON of a patch a line, and an empty line for no change.
enum StepTrace {
    /// Makes reducers get the time of their action and fixed random numbers, and reports each point.
    static func watch(of run: ComparedRun, _ watch: ((ReplayPoint) -> Void)?) -> (ReplayPoint) -> Void {
        { [unowned run] point in
            if point.phase != .reducing { hindsight_conditions_end() }
            watch?(point)
            guard point.phase == .reducing else { return }
            hindsight_conditions_begin(
                run.record?.nanosecondsSinceEpoch ?? 0,
                UInt64(truncatingIfNeeded: point.seq << 16 + point.reducer)
            )
        }
    }

    /// Runs, and writes the lines. What was written before a crash is there.
    ///
    /// - Returns: The number of actions that have run.
    /// - Throws: ``Failure`` if the file cannot be written; the errors of the run.
    static func write(_ run: ComparedRun, to path: String) throws -> Int {
        guard let file = fopen(path, "w") else { throw failure(path) }
        defer { fclose(file) }
        setvbuf(file, nil, _IOLBF, 1 << 16)
        func append(_ line: String) throws(Failure) {
            guard fputs(line + "\n", file) >= 0 else { throw failure(path) }
        }
        let actions = try run.run(against: nil, append)
        guard fflush(file) == 0 else { throw failure(path) }
        return actions
    }

    private static func failure(_ path: String) -> Failure {
        Failure(
            .badFile,
            "Could not write what the reducers change to \(escape(path)): \(SystemError.last).",
            "Free space there, or set TMPDIR to another folder."
        )
    }

    /// Reads the lines.
    struct Lines: IteratorProtocol, Sendable {
        private let bytes: Data
        private var start: Int

        init(_ path: String) throws {
            bytes = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
            start = bytes.startIndex
        }

        mutating func next() -> String? {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { start = end + 1 }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
    }
}
