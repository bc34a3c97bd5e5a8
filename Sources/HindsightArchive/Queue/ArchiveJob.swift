#if Archive
    /// A job that this worker has claimed.
    package struct ArchiveJob: Sendable {
        package let number: Int64
        package let recording: RecordingKey
        /// How often the job has been claimed, this time included.
        package let attempt: Int64
    }

    /// How far a run is.
    package struct ArchiveProgress: Sendable {
        package var waiting = 0
        package var claimed = 0
        /// The jobs that have ended, by their verdict.
        package var verdicts: [String: Int] = [:]

        package var ended: Int { verdicts.values.reduce(0, +) }
        package var all: Int { waiting + claimed + ended }
    }

    /// What a run asks of each recording.
    package struct ArchiveQuestion: Sendable {
        package enum Kind: String, Sendable { case verify, find }

        package let kind: Kind
        /// What runs the reducers, or searches. Another build has jobs of its own.
        package let build: String
        /// The options, or the expression, as JSON.
        package let text: String
        package let filter: ArchiveFilter

        package init(_ kind: Kind, build: String, text: String, filter: ArchiveFilter) {
            (self.kind, self.build, self.text, self.filter) = (kind, build, text, filter)
        }
    }
#endif
