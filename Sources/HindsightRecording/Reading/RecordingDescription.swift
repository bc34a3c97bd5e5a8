import HindsightFormat
import HindsightTree

/// The answer of `info`.
package typealias RecordingDescription = Joined<RecordingIdentity, Joined<EndFacts, RecordingContents>>

/// What a recording is of, and whether it is closed.
package struct RecordingIdentity: Answer {
    package let file: String
    @Nullable package var id: String?
    package let app: String
    package let version: String
    package let schema: Int
    package let format: Int
    package let platform: String
    /// Empty if there is none.
    package let installation: String
    package let created: Int64
    @Nullable package var closed: Int64?
    package let ended: EndingName
    package let live: Bool
    @Nullable package var stopped: String?
    @Nullable package var parent: RecordingParent?

    package static let notes = [
        "id": "a UUID", "installation": "the ID that the app gives itself; empty if there is none",
        "created": "ns since 1970", "closed": "ns since 1970",
        "stopped": "why the recorder had to stop", "parent": "the source recording of a what-if",
    ]
}

/// What a recording has.
package struct RecordingContents: Answer {
    package struct Redacted: Answer {
        package let states: [String]
        package let actions: [String]
        package let unmetStates: [String]
        package let unmetActions: [String]

        package static let notes = ["unmetStates": "patterns that matched nothing"]
    }

    package struct Limit: Answer {
        @Nullable package var actions: Int?
        @Nullable package var bytes: Int?
        @Nullable package var age: Int64?

        package static let notes = ["age": "ns"]
    }

    package struct Dropped: Answer {
        package let actions: Int
        @Nullable package var since: Int64?

        package static let notes = ["actions": "their number", "since": "ns since 1970; later actions are kept"]
    }

    package let beside: [String]
    package let actions: Int
    package let known: Int
    package let skipped: Int
    package let doubtful: [Recording.DoubtfulStates]
    package let unaudited: Int
    @Nullable package var computed: ComputedStates?
    package let gaps: Int
    package let descriptions: Int
    package let notCodable: [Recording.Summary.DescribedType]
    package let travels: Int
    package let types: [Recording.Summary.TypeCount]
    package let redacted: Redacted
    package let reducers: [String]
    @Nullable package var changes: Int?
    package let changesOf: Int
    package let notes: Int
    @Nullable package var cut: CutOrigin?
    package let keyframes: Int
    package let bytes: Recording.Summary.Sizes
    package let limit: Limit
    package let dropped: Dropped

    package static let notes = [
        "beside": "files that are part of it", "known": "the last action whose state is known",
        "skipped": "actions whose states were left out", "doubtful": "states that a later keyframe contradicts",
        "descriptions": "actions that are descriptions by reflection, which cannot be replayed",
        "notCodable": "the types because of which actions and states are descriptions",
        "unaudited": "actions whose states the recorder did not compare with a keyframe",
        "computed": """
        how far the recorder computed the states with the app's reducers: last is the last computed one, null for all, and \
        confirmed how far they were compared with the app's; null if all states are the app's own
        """,
        "changes": "steps that changed something", "changesOf": "actions whose changes are known",
        "notes": "their number", "cut": "the recording and the positions that it was cut from",
    ]
}

extension Recording {
    package var identity: RecordingIdentity {
        RecordingIdentity(
            file: url.relativePath,
            id: id,
            app: app.name,
            version: app.version,
            schema: app.schema,
            format: formatVersion,
            platform: platform,
            installation: app.installation,
            created: createdNanoseconds,
            closed: closedNanoseconds,
            ended: endingName,
            live: isLive,
            stopped: stopReason,
            parent: parent
        )
    }

    /// The number of actions whose changes were recorded.
    package var actionsWithChanges: Int {
        let left = skipped.reduce(0) { $0 + max(0, min($1.upperBound, end.seq) - $1.lowerBound + 1) }
        return end.seq - start.seq - left
    }

    /// Costs a pass over the actions.
    package func describe() throws(RecordingError) -> RecordingDescription {
        let summary = try summary()
        let contents = RecordingContents(
            beside: sidecarFiles,
            actions: summary.actions,
            known: end.seq,
            skipped: skipped.reduce(0) { $0 + $1.count },
            doubtful: doubtful,
            unaudited: unauditedCount,
            computed: computedStates,
            gaps: summary.gaps,
            descriptions: summary.descriptions,
            notCodable: summary.describedTypes,
            travels: summary.travels,
            types: summary.types,
            redacted: RecordingContents.Redacted(
                states: redaction.states,
                actions: redaction.actions,
                unmetStates: redaction.unmetStates,
                unmetActions: redaction.unmetActions
            ),
            reducers: reducers,
            changes: actionsWithChanges == 0 && summary.actions > 0 ? nil : summary.changes,
            changesOf: actionsWithChanges,
            notes: try notes().count,
            cut: cutOrigin,
            keyframes: summary.keyframes,
            bytes: summary.bytes,
            limit: RecordingContents.Limit(
                actions: limit.actions,
                bytes: limit.bytes,
                age: limit.age.map(\.nanoseconds)
            ),
            dropped: RecordingContents.Dropped(actions: droppedCount, since: keptSinceNanoseconds)
        )
        return Joined(identity, Joined(endFacts, contents))
    }
}
