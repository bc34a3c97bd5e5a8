public import Foundation
import HindsightFormat
import HindsightSQLite

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// How and what a ``RecordingUploader`` sends.
public struct UploadOptions: Sendable {
    /// How often the directory is looked at.
    public var interval: Duration = .seconds(600)
    /// The shortest and the longest wait after a failure.
    public var waits: ClosedRange<Duration> = .seconds(5) ... .seconds(3600)
    /// Whether a run is deleted as soon as the archive has it.
    public var deletesUploaded = true
    /// How many parts of a run are on their way at once.
    public var parallelParts = 3
    /// Makes the settings of the session: which networks are allowed, proxies, how long to wait.
    ///
    /// On Apple's platforms, `allowsExpensiveNetworkAccess = false` and `allowsConstrainedNetworkAccess = false` keep
    /// uploads to Wi-Fi without Low Data Mode. It must not be a background session, which sends files only.
    public var session: @Sendable () -> URLSessionConfiguration = {
        let configuration = URLSessionConfiguration.ephemeral
        // The receiver answers the last request of a run when the archive has it.
        configuration.timeoutIntervalForRequest = 300
        return configuration
    }
    /// Says for each finished run whether it is sent: sampling, quotas, the user's consent. Called on any thread.
    public var decide: @Sendable (UploadCandidate) -> UploadDecision = { _ in .upload }
    /// Called on any thread when something has happened.
    public var report: @Sendable (UploadEvent) -> Void = { _ in }

    /// Creates options that send every finished run, and delete it then.
    public init() {}

    /// The wait after some failures in a row, with up to a fifth more, so that a fleet does not come back at once.
    func wait(after failures: Int) -> Duration {
        let doubled = waits.lowerBound * (1 << min(max(0, failures - 1), 20))
        return (failures == 0 ? interval : min(doubled, waits.upperBound)) * Double.random(in: 1...1.2)
    }
}

/// A finished run that may be sent.
public struct UploadCandidate: Sendable {
    /// The recording.
    public let url: URL
    /// The name and the version of the app that it is of.
    public let app: String
    public let version: String
    /// When it began.
    public let created: Date
    /// Its size and that of the files beside it.
    public let bytes: Int
    /// Whether the recorder was closed. If not, its process crashed, was killed, or called `exit`.
    public let wasClosed: Bool

    /// `nil` for a run that is being recorded.
    ///
    /// - Throws: A `RecordingError` if the file is no recording, or cannot be read.
    init?(_ url: URL) throws {
        let file = try ReadableFile(path: url.path)
        guard !file.journal.isLive, let run = RunFile(url.path) else { return nil }
        let facts = try file.facts()
        self.url = url
        (app, version, bytes) = (facts.app, facts.version, Int(run.bytes))
        created = Date(timeIntervalSince1970: Double(facts.created) / 1e9)
        wasClosed = try file.reading {
            var metadata = Metadata()
            try metadata.read(from: file.connection)
            return try metadata.number(Metadata.Key.closed) != nil
        }
    }
}

/// Whether a run is sent.
public enum UploadDecision: Sendable {
    /// Now.
    case upload
    /// Ask again when the directory is looked at next.
    case later
    /// It stays where it is, and is not asked for again.
    case never
}

/// What happened to an upload.
public enum UploadEvent: Sendable {
    /// The archive has the run, with this ID, or takes it no more.
    case uploaded(URL, UploadOutcome, recording: String)
    /// The receiver does not take the run. It stays, and is not sent again.
    case refused(URL, reason: String)
    /// A run was not sent this time; if the network, the receiver or the token is the reason, neither were those after it.
    case failed(UploadError)
}

/// What the archive did with a run.
public enum UploadOutcome: String, Sendable, CaseIterable {
    /// It did not have it.
    case new
    /// It had less of it.
    case grown
    /// It had it.
    case same
    /// It has more of it.
    case older
    /// It was removed there for good.
    case forgotten, expired
}
