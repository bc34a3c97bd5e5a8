import Foundation
import TestSupport

/// The amount of work: a little in `make test`, and as long as `make torture` says.
enum Amount {
    /// The minutes that each random test takes in a long run; `nil` in a short one.
    static let minutes = ProcessInfo.processInfo.environment["HINDSIGHT_TORTURE"].flatMap { Double($0) }

    static var isLong: Bool { minutes != nil }

    /// Runs the body with one seed after the other: `count` in a short run, and until the time is over in a long one.
    static func forEachSeed(_ count: Int, _ body: (Seeded) throws -> Void) rethrows {
        let end = minutes.map { Date(timeIntervalSinceNow: $0 * 60) }
        var round = 0
        let runs = end == nil ? Seeded.runs(count, from: 20_261_120) : Seeded.runs(1 << 20)
        for seeded in runs {
            if let end, round > 0, Date() > end { break }
            round += 1
            try body(seeded)
        }
        if end != nil { print("\(round) rounds") }
    }

    /// All numbers from 1 to `count` in a long run; `few` of them in a short one, spread evenly.
    static func some(_ few: Int, of count: Int, _ generator: inout Seeded) -> [Int] {
        guard !isLong, count > few else { return count > 0 ? Array(1...count) : [] }
        return (0..<few).map { part in
            let (from, to) = (part * count / few, (part + 1) * count / few)
            return from + 1 + generator.below(max(1, to - from))
        }
    }
}
