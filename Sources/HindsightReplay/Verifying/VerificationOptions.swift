import HindsightRecording

/// What a verification compares, and what it does after a divergence.
public struct VerificationOptions: Sendable {
    public enum Level: String, Sendable, CaseIterable { case states, steps }
    public enum Continuation: String, Sendable, CaseIterable { case stop, isolated, chained }
    public struct Tolerance: Sendable {
        public var path: String
        public var value: Double
        public init(path: String, value: Double) {
            self.path = path
            self.value = value
        }
    }
    public var level: Level?
    public var afterDivergence: Continuation
    public var ignoredPaths: [String]
    public var tolerances: [Tolerance]
    public var end: Recording.Position?
    public var finalStateOnly: Bool

    public init(
        level: Level? = nil,
        afterDivergence: Continuation = .stop,
        ignoredPaths: [String] = [],
        tolerances: [Tolerance] = [],
        end: Recording.Position? = nil,
        finalStateOnly: Bool = false
    ) {
        self.level = level
        self.afterDivergence = afterDivergence
        self.ignoredPaths = ignoredPaths
        self.tolerances = tolerances
        self.end = end
        self.finalStateOnly = finalStateOnly
    }
}

extension Verification {
    public convenience init(of recording: Recording, by app: ReplayableApp, options: VerificationOptions) throws {
        try self.init(of: recording, by: app)
    }
}
