import Foundation
import HindsightReplay
import Testing

/// Which recordings a test run may write.
///
/// The environment variable `HINDSIGHT_RECORD` sets it for a run: `HINDSIGHT_RECORD=failed swift test`. An argument or
/// a trait of a test takes precedence. The default is ``missing``, and ``never`` if the variable `CI` is set, as on
/// most servers that run tests. There, a mode that writes is an issue, and nothing is written.
public enum RecordingMode: String, Sendable, CaseIterable {
    /// Writes nothing.
    case never
    /// Makes a recording that does not exist, if the test says how.
    case missing
    /// Gives the recordings that fail the states of today's reducers, and makes the missing ones.
    case failed
    /// Gives all recordings the states of today's reducers, and makes the missing ones. A recording that has these
    /// states already stays as it is.
    case all

    /// The mode of a test, and why it is not the wanted one.
    ///
    /// - Parameter wanted: The mode of an argument or a trait.
    static func resolve(
        _ wanted: RecordingMode?,
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> (mode: RecordingMode, problem: String?) {
        let isServer = !["", "0", "false"].contains((environment["CI"] ?? "").lowercased())
        var mode = wanted
        if mode == nil, let name = environment["HINDSIGHT_RECORD"], !name.isEmpty {
            guard let named = RecordingMode(rawValue: name) else {
                let known = allCases.map(\.rawValue).joined(separator: ", ")
                return (.never, "HINDSIGHT_RECORD is none of \(known), so nothing is written.")
            }
            mode = named
        }
        guard isServer else { return (mode ?? .missing, nil) }
        guard let mode, mode != .never else { return (.never, nil) }
        let problem = """
            Nothing is written, because the variable CI is set: the recording mode is \(mode.rawValue). Run the test on \
            your machine with it, and commit the recordings.
            """
        return (.never, problem)
    }
}

/// How the tests in a scope replay recordings. `Trait.replaying(_:mode:)` makes it.
public struct ReplayTrait: TestTrait, SuiteTrait, TestScoping {
    let options: VerificationOptions?
    let mode: RecordingMode?

    @TaskLocal static var current = ReplayTrait(options: nil, mode: nil)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let inner = ReplayTrait(options: options ?? Self.current.options, mode: mode ?? Self.current.mode)
        try await Self.$current.withValue(inner) { try await function() }
    }
}

extension Trait where Self == ReplayTrait {
    /// Sets the options and the mode of all replays in a test or a suite.
    ///
    /// ```swift
    /// @Suite(.replaying(VerificationOptions(ignoredPaths: ["/lastSeen"]))) struct RecordedSessions { … }
    /// ```
    ///
    /// - Parameters:
    ///   - options: What is compared; `nil` for what the suite around it sets.
    ///   - mode: Which recordings are written; `nil` for what the suite around it sets.
    public static func replaying(_ options: VerificationOptions? = nil, mode: RecordingMode? = nil) -> Self {
        ReplayTrait(options: options, mode: mode)
    }
}
