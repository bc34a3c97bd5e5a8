import Foundation
import HindsightRecording
import HindsightReplay
import Testing

/// Expects that today's reducers do what a recording says they did.
///
/// A recording that shows how the app should behave is a regression test:
///
/// ```swift
/// @Test(arguments: try recordings(in: Bundle.module.resourceURL!))
/// func `Recorded sessions replay as they were`(recording: URL) {
///     expectReplay(of: recording, by: myApp)
/// }
/// ```
///
/// A recording that cannot be read or does not fit the app is an issue of the test, too, with what to do about it.
/// Only reducers run: no middleware, no effects. The cost is that of the reducers and of comparing what they changed.
///
/// - Parameters:
///   - recording: The recording's file. It is not changed.
///   - app: The app's reducers, initial state and actions.
///   - sourceLocation: Where a difference is shown; the caller's line by default.
/// - Returns: What was found, for further expectations; `nil` where the recording could not be replayed.
@discardableResult
public func expectReplay(
    of recording: URL,
    by app: ReplayableApp,
    sourceLocation: SourceLocation = #_sourceLocation
) -> VerificationResult? {
    do {
        let result = try app.verify(Recording(at: recording)) { _ in }
        if !result.equal {
            let reason = result.divergence?.description ?? "The recording and this replay differ."
            Issue.record("\(recording.lastPathComponent): \(reason)", sourceLocation: sourceLocation)
        }
        return result
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
        return nil
    }
}

/// The recordings in a folder, sorted by name, for a parameterized test.
///
/// - Throws: Foundation's error where the folder cannot be read. A folder without recordings is an empty list.
public func recordings(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "hindsight" }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
}
