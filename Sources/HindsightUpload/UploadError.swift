/// Why an upload failed. Nothing of the run is lost.
public struct UploadError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The receiver cannot be reached.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The receiver does not know the token, such as one that was removed.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// The receiver takes nothing now.
        public static let busy = Code(rawValue: "busy")
        /// The run is larger than the receiver takes.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The address answers otherwise than a receiver does.
        public static let unexpected = Code(rawValue: "unexpected")
        /// The run cannot be read or deleted, or is no recording.
        public static let file = Code(rawValue: "file")
    }

    public var code: Code
    /// What happened, in a sentence.
    public var description: String
    /// When the receiver wants to be asked again, in seconds.
    var retryAfter: Int?

    init(_ code: Code, _ description: String, retryAfter: Int? = nil) {
        (self.code, self.description, self.retryAfter) = (code, description, retryAfter)
    }

    /// Whether it would happen to the next run, too.
    var concernsAll: Bool { [.unreachable, .unauthorized, .busy].contains(code) }
}
