import Foundation

/// A random generator that returns the same numbers for the same seed (SplitMix64).
///
/// Its description is the setting that reproduces a failure: `HINDSIGHT_SEED=…`.
public struct Seeded: RandomNumberGenerator, CustomStringConvertible, Sendable {
    public let seed: UInt64
    private var state: UInt64

    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Generators for `count` runs of a test. The first one has the seed of the environment, if there is one.
    ///
    /// With a sanitizer, which makes each run ten times slower, there are a fifth of them.
    ///
    /// - Parameter usual: The first seed if the environment has none, or `nil` for a random one. For a test with its
    ///   own long runs, whose short run only guards against regressions.
    public static func runs(_ count: Int, from usual: UInt64? = nil) -> [Seeded] {
        let first = ProcessInfo.processInfo.environment["HINDSIGHT_SEED"].flatMap { UInt64($0) }
        let start = first ?? usual ?? UInt64.random(in: 0...UInt64.max)
        let isSanitized = ProcessInfo.processInfo.environment["HINDSIGHT_SANITIZED"] != nil
        return (0..<(isSanitized ? (count + 4) / 5 : count)).map { Seeded(seed: start &+ UInt64($0)) }
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, `bound`.
    public mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &self)
    }

    /// True once in `times` times on average.
    public mutating func once(in times: Int) -> Bool {
        below(times) == 0
    }

    /// A random element.
    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    public var description: String { "HINDSIGHT_SEED=\(seed)" }
}
