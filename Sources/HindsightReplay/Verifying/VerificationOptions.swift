import HindsightRecording

/// What a verification compares, and what it does after a divergence.
///
/// ```swift
/// var options = VerificationOptions(level: .states, afterDivergence: .isolated)
/// options.ignoredPaths = ["/lastSeen", "/todos/*/editedAt"]
/// options.tolerances = [Tolerance("/**/price", absolute: 0.01)]
/// let result = try app.verify(recording, options: options)
/// ```
///
/// Paths are patterns: `*` matches one name, and `**` any number of names or none. Unlike in a redaction, a number is one
/// element of an array: `/log/0` is the first, and `/log/*` any.
public struct VerificationOptions: Sendable {
    /// What must be the same.
    public enum Level: String, Sendable, CaseIterable {
        /// The state after each action, whichever reducers made it.
        case states
        /// The change of each reducer. It requires the recorded reducers, in their order.
        case steps
    }

    /// What follows a divergence.
    public enum Continuation: String, Sendable, CaseIterable {
        /// Nothing: the verification ends.
        case stop
        /// The next action runs on the recorded state, so that each action is compared by itself.
        case isolated
        /// The next action runs on the replayed state. It diverges only if a place differs after it that did not
        /// differ before it.
        case chained
    }

    /// What must be the same; `nil` for `steps` if the reducers are the recorded ones, and for `states` otherwise.
    public var level: Level?
    /// What follows a divergence.
    public var afterDivergence: Continuation
    /// The places of states that are not compared, as patterns.
    public var ignoredPaths: [String]
    /// The places of numbers that may differ a little.
    public var tolerances: [Tolerance]
    /// The last position to compare; `nil` for the end of the recording. Only whole actions run: `42.2` means 41.
    public var end: Recording.Position?
    /// Whether only the state at the end is compared. Then no changes are searched for, which is faster.
    public var finalStateOnly: Bool
    /// Where the verification begins; `nil` for the start of the recording.
    package var start: VerificationStart?

    /// Creates options. By default, a verification compares all it can, and ends at the first divergence.
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

/// How much the numbers at some places of the state may differ.
///
/// Two numbers are the same if they differ by no more than the absolute bound, or no more than the relative bound times
/// the larger magnitude. The difference must be finite.
public struct Tolerance: Sendable, Hashable, Codable {
    /// The places, as a pattern.
    public var path: String
    /// The largest difference.
    public var absolute: Double
    /// The largest difference, as a part of the larger number: 0.01 is one percent.
    public var relative: Double

    /// Creates a tolerance.
    ///
    /// - Parameters:
    ///   - path: The places, as a pattern.
    ///   - absolute: The largest difference.
    ///   - relative: The largest difference, as a part of the larger number.
    public init(_ path: String, absolute: Double = 0, relative: Double = 0) {
        self.path = path
        self.absolute = absolute
        self.relative = relative
    }

    /// - Parameter distance: The exact distance of the numbers before they were rounded; `nil` for that of both.
    func allows(_ left: Double, _ right: Double, distance: Double? = nil) -> Bool {
        let difference = distance ?? (left - right).magnitude
        return difference.isFinite
            && (difference <= absolute || difference <= relative * Swift.max(left.magnitude, right.magnitude))
    }
}
