import HindsightTree

extension Divergence {
    /// The likely cause of a divergence, guessed from the two values.
    public enum Cause: String, Sendable, Hashable, CaseIterable {
        /// Both values are points in time.
        case date
        /// Both values are UUIDs.
        case uuid
        /// The reducer gives different results for the same state and action.
        case random
        /// Both values have the same parts in another order, or the reducer's result depends on the order of sets and
        /// dictionaries.
        case unordered
        /// The reducers run in another order than the recorded ones.
        case order = "another order"
        /// Both values are numbers that differ only in their last bits.
        case floatingPoint
        /// The value changes if the action runs with other placeholders for redacted values.
        case redaction
        /// No reducer has run: today's state type does not decode and encode the recorded initial state unchanged.
        case initialState
        /// None of these: the reducer's code has changed, or something outside that it reads.
        case other = "none"

        /// The meaning and the remedy, in one or two sentences.
        public var sentence: String {
            switch self {
            case .date:
                "It looks like a date: the reducer may read the clock. Pass the time in the action."
            case .uuid:
                "It looks like a UUID made in the reducer. Pass the identifier in the action."
            case .random:
                """
                The reducer gives another result each time it runs on the same state and action: it may use the clock, \
                random numbers, the order of a set or a dictionary, or something else from outside. Pass that in the \
                action.
                """
            case .unordered:
                """
                It depends on an order: the reducer may go through a set or a dictionary, whose order changes from process to \
                process. Sort before the order matters.
                """
            case .order:
                """
                The reducers run in another order than the recorded ones: one may now read a value before another has \
                changed it. Restore the order, or accept the new states.
                """
            case .floatingPoint:
                """
                It is the same number but for the last bits: floating-point arithmetic may run in another order, or on \
                another machine.
                """
            case .redaction:
                """
                It is derived from a redacted value, which a replay does not have: with another placeholder, the \
                reducer gives another value here. Redact this path too.
                """
            case .other:
                """
                The reducer gives the same result each time it runs here: its code differs from the recorded run, or something \
                outside that it reads, such as the environment, the locale, the time zone or a file.
                """
            case .initialState:
                """
                No reducer has run: this build's state type reads the recorded initial state as another one. A field may have \
                been removed, renamed or given another default, or its `init(from:)` may change it.
                """
            }
        }
    }
}

extension Divergence.Cause {
    /// Guesses why a reducer gave `actual` instead of `expected`.
    ///
    /// - Parameters:
    ///   - expected: The recorded value.
    ///   - actual: Today's value.
    ///   - recordedAt: The time of the action in nanoseconds since 1970.
    ///   - isRepeatable: Whether the reducer gave the same result when it ran again.
    init(expected: Node?, actual: Node?, recordedAt: Int64?, isRepeatable: Bool) {
        self = Self.guess(expected, actual, recordedAt: recordedAt) ?? (isRepeatable ? .other : .random)
    }

    private static func guess(_ expected: Node?, _ actual: Node?, recordedAt: Int64?) -> Self? {
        switch (expected, actual) {
        case (.string(let left)?, .string(let right)?):
            if left.isUUID, right.isUUID { return .uuid }
            if left.looksLikeDate, right.looksLikeDate { return .date }
            return left.hasSameWords(as: right) ? .unordered : nil
        case (.array(let left)?, .array(let right)?):
            return left.hasSameElements(as: right) ? .unordered : nil
        default:
            guard let left = expected?.floatingPoint, let right = actual?.floatingPoint else { return nil }
            if let recordedAt, left.looksLikeTime(near: recordedAt), !right.isNearlyEqual(to: left) { return .date }
            // Whole numbers do not round.
            if case (.int?, .int?) = (expected, actual) { return nil }
            return right.isNearlyEqual(to: left) ? .floatingPoint : nil
        }
    }
}

extension Node {
    /// A number's value, rounded to a `Double`; `nil` if this is not a number.
    package var floatingPoint: Double? {
        switch self {
        case .int(let value): Double(value)
        case .number(let literal): Double(literal)
        default: nil
        }
    }
}

extension Double {
    /// Whether two numbers differ at most by rounding errors.
    fileprivate func isNearlyEqual(to other: Double) -> Bool {
        let size = Swift.max(magnitude, other.magnitude)
        return self == other || ((self - other).magnitude <= size * 1e-12 && size.isFinite)
    }

    /// Whether this is a time within a day of `nanoseconds` since 1970, in one of the usual units and epochs.
    fileprivate func looksLikeTime(near nanoseconds: Int64) -> Bool {
        let seconds = Double(nanoseconds) / 1e9
        let since2001 = seconds - 978_307_200
        return [1, 1e3, 1e6, 1e9].contains { unit in
            [seconds, since2001].contains { (self / unit - $0).magnitude < 86_400 }
        }
    }
}

extension String {
    /// Whether this begins with an ISO 8601 date: `2026-03-14`, alone or with a time after it.
    fileprivate var looksLikeDate: Bool {
        guard utf8.count >= 10 else { return false }
        let isDate = zip(utf8, "0000-00-00".utf8).allSatisfy { byte, wanted in
            wanted == UInt8(ascii: "-") ? byte == wanted : UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        }
        let end = utf8.dropFirst(10).first
        return isDate && (end == nil || end == UInt8(ascii: "T") || end == UInt8(ascii: " "))
    }

    /// Whether two texts have the same words, each as often, in any order.
    fileprivate func hasSameWords(as other: String) -> Bool {
        func words(_ text: String) -> [Node] {
            text.unicodeScalars
                .split { !($0.properties.isAlphabetic || $0.properties.numericType != nil) }
                .map { .string(String($0)) }
        }
        return words(self).hasSameElements(as: words(other)) && words(self) != words(other)
    }
}
