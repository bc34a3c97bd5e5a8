import HindsightTree

extension ReplayError: CustomStringConvertible {
    /// What happened and where, then what to do, in one to three lines. Names from a file are JSON strings, so their
    /// control characters are escaped.
    public var description: String {
        "\(file.map { "\($0): " } ?? "")\(happening).\n\(advice)"
    }

    /// What happened and where, without a full stop.
    private var happening: String {
        let spot = position.map { $0.seq == 0 ? " at the initial state" : " at position \($0)" } ?? ""
        let recordedState = position?.seq == 0 ? "the recorded initial state" : "the recorded state\(spot)"
        return switch code {
        case .otherApp: "the recording is of the app \(quoted(recordedApp)), not of \(quoted(app))"
        case .describedStates:
            "its states are descriptions of types that are not Codable, so they cannot be replayed: "
                + notCodable.prefix(5).map { quoted($0) }.joined(separator: ", ")
                + (notCodable.count > 5 ? " and \(notCodable.count - 5) more" : "")
        case .reducersDiffer: "the recording does not fit this build: \(differences)"
        case .stepsNotComparable:
            "the steps of the recording cannot be compared, because "
                + (migrations.isEmpty ? "this build reads recorded states as other ones" : "migrations apply")
        case .earlierForm: "the recording has the form of an earlier version of the app"
        case .badPattern: "\(quoted(pattern)) is not a pattern of paths: \((cause as? PatternError)?.reason ?? "")"
        case .undecodableState: "\(recordedState) does not decode in this build\(reason)"
        case .unencodableState: "the replayed state\(spot) cannot be encoded exactly\(reason)"
        case .badAction where type == nil: "this does not decode as an action\(reason)"
        case .badAction where isUnknownType: "there is no action type \(quoted(type))"
        case .badAction: "this does not decode as the action \(quoted(type))\(reason)"
        case .beforeStart: "the replay began after position \(positionText)"
        case .unfinished: "the recorded process ended in action \(position?.seq ?? 0), before position \(positionText)"
        case .unrecordedAction where type != nil:
            "action \(seq ?? 0) is time travel, and the state that it set was not recorded"
        case .unrecordedAction: "action \(seq ?? 0) was not recorded as a value, so its reducers cannot run"
        case .badMigrations: "the recording does not fit this build\(reason)"
        case .failedMigration:
            "\(position?.seq == 0 ? "the recorded initial state" : "the recorded action or state\(spot)") does not migrate\(reason)"
        case .renamedField:
            "\(recordedState) lacks \(quoted(missingPath?.description)), which this build needs, and has "
                + "\(quoted(path?.description)), which this build does not read, as if the field had been \(isMoved ? "moved" : "renamed")"
        case .splitAction:
            "a migration splits or removes action \(seq ?? 0), so it has no positions between its reducers"
        default: "\(code.rawValue)\(spot)\(reason)"
        }
    }

    /// Whether the missing field is in another object than the recorded one.
    private var isMoved: Bool { path?.components.dropLast() != missingPath?.components.dropLast() }

    /// What to do about it.
    private var advice: String {
        switch code {
        case .describedStates:
            "Make them Codable, and record anew. This recording can be read, asked and compared as it is."
        case .otherApp: "Use the tool that has that app's reducers."
        case .reducersDiffer:
            """
            Compare states instead of steps. If a reducer has another name now, declare the recorded one with `formerly:`; \
            or use the build that recorded it.
            """
        case .stepsNotComparable:
            "Rewrite it first with `migrate --in-place`, or compare states instead (--level states)."
        case .earlierForm: "Rewrite it first with `migrate --in-place`."
        case .badPattern: "Write it as /a/*/b or /a/**: * is one name, ** any number of names."
        case .badMigrations where (cause as? MigrationError)?.isNewer == true: "Use a newer build of the app."
        case .badMigrations:
            "Give the app one migration for each schema from 2 up to its own, or use a build that fits."
        case .failedMigration: "Correct the migration, or use the build that recorded it."
        case .renamedField:
            "If so, add \(migration ?? "a migration"). If not, remove the one and add the other: removeField, addField."
        case .splitAction: "Go to the position after the whole action."
        case .undecodableState where migration != nil:
            "Add \(migration ?? ""), or use the build that recorded it."
        case .undecodableState where (cause as? TreeError)?.code == .isDescription:
            "Make the type Codable, and record anew."
        case .undecodableState: "Keep the names and types of its fields, or use the build that recorded it."
        case .unencodableState: "Make its `encode(to:)` write all of it, or leave the field out."
        case .badAction where suggestion != nil: "Did you mean \(quoted(suggestion))?"
        case .badAction where isUnknownType && !knownTypes.isEmpty:
            "Known action types: \(knownTypes.joined(separator: ", "))."
        case .badAction: #"An action looks like {"toggle":{"id":3}}: the name of its type, and its fields."#
        case .beforeStart: "Begin a replay at that position or before it."
        case .unfinished: "Go to \(lastPosition.map { "\($0)" } ?? "the action before it") at most."
        case .unrecordedAction: "Begin a replay at a recorded state after it."
        default: "Use the build that recorded it."
        }
    }

    private var positionText: String { position.map { "\($0)" } ?? "" }

    private var reason: String {
        // A tree's error names the place; other errors may quote text of the file.
        cause.map { ": \($0 is TreeError || $0 is MigrationError ? "\($0)" : quoted("\($0)"))" } ?? ""
    }

    private var differences: String {
        var parts: [String] = []
        if !missingReducers.isEmpty {
            parts.append("this build has \(none(of: missingReducers))")
        }
        if !additionalReducers.isEmpty {
            parts.append("the recording has \(none(of: additionalReducers))")
        }
        if !renamedReducers.isEmpty {
            let names = renamedReducers.map { "\(quoted($0.recorded)) is \(quoted($0.today)) now" }
            parts.append(names.joined(separator: ", "))
        }
        return parts.isEmpty ? "its reducers run in another order" : parts.joined(separator: ", and ")
    }

    /// `no reducers "main", "tasks" and "stats"`
    private func none(of reducers: [String]) -> String {
        let names = reducers.map(quoted)
        guard let last = names.last, names.count > 1 else { return "no reducer \(names.joined())" }
        return "no reducers \(names.dropLast().joined(separator: ", ")) and \(last)"
    }

    private func quoted(_ text: String?) -> String {
        Node.string(text ?? "").json
    }
}
