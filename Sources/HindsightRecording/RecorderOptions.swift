/// How a recorder behaves.
public struct RecorderOptions: Sendable {
    /// Whether an existing file at the output's path is replaced. It is refused otherwise.
    public var overwrite: Bool

    /// Told of each failure, on the thread that dispatched; the app goes on in every case.
    ///
    /// A failure to write, or to encode a state, stops the recorder and is told once. An action that cannot be encoded
    /// leaves a gap and is told once a type.
    public var onError: (@Sendable (RecordingError) -> Void)?

    /// The least number of bytes of patches between two whole states in the file.
    var keyframeFloor = 4096

    public init(overwrite: Bool = false, onError: (@Sendable (RecordingError) -> Void)? = nil) {
        self.overwrite = overwrite
        self.onError = onError
    }
}

/// What a recorder is doing.
public enum RecorderStatus: Sendable {
    /// Every action is being recorded.
    case recording
    /// It could not go on; nothing is recorded since. The app was told through ``RecorderOptions/onError``.
    case stopped(RecordingError)
    /// It was closed; the recording is complete.
    case closed
}
