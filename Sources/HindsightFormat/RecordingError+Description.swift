import HindsightSupport
import HindsightTree

extension RecordingError: CustomStringConvertible {
    /// What happened and where, then what to do, in one to three lines. Text from a file is escaped.
    public var description: String {
        (remedy ?? advice).map { "\(summary)\n\($0)" } ?? summary
    }

    /// What happened and where, in one line.
    package var summary: String { "\(happening)." }

    /// What happened and where, without a full stop.
    private var happening: String {
        switch code {
        case .notFound:
            "There is no file \(fileName)"
        case .unreadable:
            "\(fileName) cannot be read\(because)"
        case .empty:
            "\(fileName) is empty\(because)"
        case .notARecording:
            "\(fileName) is not a recording\(because)"
        case .newerFormat where reason != nil:
            "\(fileName) has \(visible(reason ?? ""))"
        case .newerFormat:
            "\(fileName) has format \(version ?? 0); this version of Hindsight reads formats up to \(Schema.version)"
        case .damaged:
            "\(fileName) is damaged\(spot)\(because)"
        case .badPosition:
            "\(quoted(given)) is not a position"
        case .positionOutOfRange:
            "\(fileName) has no position \(quoted(given))\(because)"
        case .ambiguousPosition:
            "\(quoted(given)) is more than one position of \(fileName)\(because)"
        case .noteExists:
            "\(fileName) has a note \(quoted(given)) already\(because)"
        case .badNote:
            "\(quoted(given)) cannot be a note\(because)"
        case .noNote:
            "\(fileName) has no note \(quoted(given))\(because)"
        case .exists:
            "\(fileName) exists\(because)"
        case .unwritable:
            "\(fileName) cannot be written\(because)"
        case .inUse:
            "Another recorder is writing \(fileName)"
        case .badRedaction:
            "\(quoted(given)) is no pattern of what to redact\(because)"
        case .unfitPlaceholder where type == nil:
            "A redacted state does not decode\(spot)\(because)"
        case .unfitPlaceholder:
            "A redacted action of type \(quoted(type)) does not decode\(spot)\(because)"
        case .live:
            "\(fileName) is being recorded right now"
        case .beingRead:
            "\(fileName) is being read by another process, or by this one\(because)"
        case .foreignSchema:
            "\(fileName) was changed by another tool\(because)"
        case .journalGap:
            "\(fileName) cannot be recovered: \(missingActions) between the file and its journal\(because)"
        case .foreignJournal:
            "\(fileName) is not the journal of this recording\(because)"
        case .stopped:
            "The recorder of \(fileName) stopped\(spot)\(because)"
        case .secondStore:
            "The recorder of \(fileName) was given to a second store\(because)"
        case .unknownStep:
            "The step \(quoted(type)) is not recorded as one\(because)"
        case .badRunName:
            "\(quoted(given)) is no pattern for a run's name"
        case .notDeleted:
            "\(fileName) exceeds the retention limit, and cannot be deleted\(because)"
        case .limitTooSmall:
            "\(fileName) cannot be kept within its limit\(because)"
        case .doubtfulStates:
            "\(fileName) has doubtful states\(spot): \(changed) without a change that the recorder could see"
        case .notComputable:
            "The states of \(fileName) are not computed behind the app\(because)"
        case .impureReducer:
            "\(fileName) has states that the app did not have\(spot): the same reducers led to another value\(because)"
        case .impureEncoding:
            "The state's encode(to:) writes something else each time\(spot)\(ofType)"
        case .unencodableState:
            "The recorder of \(fileName) stopped\(spot): the state cannot be kept exactly\(because)"
        case .unregisteredAction:
            "The action type \(quoted(type)) is not registered"
        case .unencodableAction:
            "An action of type \(quoted(type)) cannot be kept exactly\(spot)\(because)"
        case .unknownAction where type == nil:
            "This is no action: it should be an object whose one key names the action's type"
        case .unknownAction:
            "There is no action type \(quoted(type))"
        case .undecodableAction:
            "\(file.map { "\(visible($0)): " } ?? "")\(quoted(type)) does not decode as an action of this app\(spot)\(because)"
        default:
            "\(code.rawValue)\(spot)\(because)"
        }
    }

    /// What to do about it, whatever the reason is.
    private var advice: String? {
        switch code {
        case .notFound where file?.unicodeScalars.contains("\u{FFFD}") == true:
            "Where its name is not valid UTF-8 Hindsight cannot open it: give it another one."
        case .notFound: "Check the path."
        case .unreadable: "Check that it is a file that you may read."
        case .empty where reason == RecordingError.isBeginning: "Look again in a moment."
        case .empty: "Nothing was recorded. Add the recorder's middleware to a store, and record again."
        case .notARecording where reason == RecordingError.isListOfActions:
            "Record them first: `hindsight record --app NAME --input FILE OUT.hindsight`."
        case .notARecording: "Give a file that Hindsight recorded; their names usually end in .hindsight."
        case .newerFormat: "Update Hindsight, or open it with the version that recorded it."
        case .damaged where reason == RecordingError.hasNothingSound: "Use a copy that is whole, if there is one."
        case .damaged where line != nil:
            switch reason {
            case RecordingError.isInConflict: "Resolve the conflict: keep one side of it, and delete the marks."
            case RecordingError.isCut, RecordingError.lacksEnd:
                "Use a copy that is whole, or export the recording again."
            default: "Correct the line, or export the recording again."
            }
        case .damaged:
            "Use a copy that is whole. `hindsight doctor FILE` says what is damaged, and saves what is sound."
        case .badPosition, .positionOutOfRange: allowed.isEmpty ? nil : "Valid positions: \(list(allowed))."
        case .ambiguousPosition: "Give one of: \(list(allowed))."
        case .noteExists: "Choose another name, or move it here with --replace."
        case .badNote: "Choose another text."
        case .noNote: allowed.isEmpty ? "It has no notes." : "There are: \(list(allowed))."
        case .exists: "Choose another name, or say that it is to be overwritten."
        case .unwritable where reason == RecordingError.isReadOnly:
            "Allow writing it with chmod u+w, or copy it and write into the copy."
        case .unwritable where reason == RecordingError.isSource: "Choose another name. No option replaces it."
        case .unwritable: "Choose a file in a directory that exists, that you may write to, and that has space left."
        case .inUse: "Choose another name, or close the other recorder first."
        case .badRedaction: "Write it like /user/email, with * for any one name and ** for any number of them."
        case .unfitPlaceholder:
            "Provide a placeholder: RedactedPath(pattern, as: value). The recording goes on."
        case .live: "Every command reads it as it is. Recover it where its process has ended without closing it."
        case .beingRead: "Run `hindsight recover FILE` again once nobody reads it. Every command reads it as it is."
        case .foreignSchema:
            "Drop what was added, or copy the recording with `hindsight doctor FILE --salvage OUT`. Every command reads it."
        case .journalGap:
            "Copy its -wal from where it was recorded, and recover it again; nothing was changed. If there is none, "
                + "`hindsight doctor FILE --salvage OUT` saves what the file and the journal have."
        case .foreignJournal: "Move it to the recording that it belongs to, or elsewhere. Nothing was changed."
        case .stopped: "The app continues. What was recorded before is readable."
        case .badRunName: "Placeholders are: \(list(allowed))."
        case .notDeleted: "Delete it yourself, or fix its permissions. Recording goes on."
        case .limitTooSmall:
            "Give it at least \(RecordingLimit.fewestStates) keyframes. Until then that much is kept."
        case .unknownStep:
            "List it in RecorderOptions.steps, in the order in which the steps run, and run it on the whole state. Its changes "
                + "are recorded as part of the step before."
        case .secondStore: "Make a recorder of its own for each store."
        case .doubtfulStates:
            "Keep it in values, or make its class Encodable, so that the recorder looks behind the reference. The recording "
                + "goes on, and says which states are doubtful."
        case .notComputable: "The app's own states are recorded. Set `RecorderOptions.states` to `.captured`."
        case .impureReducer:
            "A reducer may depend on the state and the action alone. If the app's tool runs on this recording, shake names what a "
                + "reducer depends on. The app's own states are recorded from now on."
        case .impureEncoding:
            "Write there only what the value holds, and always in the same order. The recording goes on; each state is as it "
                + "was written at the time."
        case .unencodableState:
            "Make its `encode(to:)` write it exactly, or leave it out. Recording stopped; the app continues."
        case .unregisteredAction: "Register it with ActionRegistry. The recording has a gap there."
        case .unencodableAction: "Make its `encode(to:)` write it exactly. The recording has a gap there."
        case .unknownAction: allowed.isEmpty ? nil : "Known are: \(list(allowed))."
        case .undecodableAction where migration != nil:
            "Add \(visible(migration ?? "")); or use the build that recorded it. `check` lists all that does not fit."
        case .undecodableAction: "Open it with the app's version that recorded it, or keep a decoder for the old form."
        default: nil
        }
    }

    private var fileName: String { file.map(visible) ?? "The recording" }

    private var spot: String {
        var spot = ""
        if let actions {
            spot += " in actions \(actions.lowerBound) to \(actions.upperBound)"
        }
        if let line { spot += " in line \(line)" }
        if let seq { spot += seq == 0 ? " at the initial state" : " at action \(seq)" }
        if let reducer { spot += ", reducer \(reducer)" }
        if let path { spot += ", \(path.isRoot ? "at the root" : visible(path.description))" }
        return spot
    }

    private var missingActions: String {
        guard let actions else { return "actions are missing" }
        return "\(actions.asActions) \(actions.count == 1 ? "is" : "are") missing"
    }

    private var changed: String { type.map { "something in a value of type \(visible($0)) changed" } ?? "it changed" }

    private var ofType: String { type.map { ", in a value of type \(visible($0))" } ?? "" }

    /// What is wrong and at which path, without the file and the action.
    package var problem: String {
        let place = path.map { $0.isRoot ? "" : "at \(visible($0.description)), " } ?? ""
        return place + because.dropFirst(2)
    }

    private var because: String {
        if let reason { return ": \(visible(reason))" }
        if let inner = cause as? RecordingError { return ": \(inner.happening)" }
        if let tree = cause as? TreeError { return ": \(visible(tree.reason))" }
        return cause.map { ": \(visible("\($0)"))" } ?? ""
    }
}

extension ClosedRange<Int> {
    /// The actions with these numbers, as text.
    package var asActions: String {
        count == 1 ? "action \(lowerBound)" : "actions \(lowerBound) to \(upperBound)"
    }
}

/// The largest number of names to list.
private let listedAtMost = 12

private func list(_ names: [String]) -> String {
    let more = names.count - listedAtMost
    return names.prefix(listedAtMost).map(visible).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
}

private func quoted(_ text: String?) -> String { "“\(visible(text ?? ""))”" }

/// Escapes control and format characters of text from a file, and truncates long text.
private func visible(_ text: String) -> String {
    var safe = ""
    for (count, scalar) in text.unicodeScalars.enumerated() {
        if count == 400 { return safe + "…" }
        safe += scalar.isUnprintable ? scalar.escapedAsLiteral : String(scalar)
    }
    return safe
}
