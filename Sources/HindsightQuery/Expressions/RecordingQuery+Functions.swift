import HindsightRecording
import HindsightSQLite
import HindsightTree

extension RecordingQuery {
    /// Defines the functions that a query may call.
    static func define(_ states: States, on connection: Connection) throws(SQLiteError) {
        func define(
            _ name: String,
            _ body: @escaping (States, _ first: SQLValue, _ second: SQLValue) throws -> SQLValue
        ) throws(SQLiteError) {
            try connection.define(name, arguments: 2) { [unowned states] arguments in
                do {
                    return try body(states, arguments[0], arguments[1])
                } catch {
                    states.failure = error
                    throw error
                }
            }
        }
        try define("value") { try $0.value($1, $2) }
        try define("old") { try $0.old($1, $2) }
        try define("changed") { try $0.changed($1, $2) }
        try define("position") { try $0.position($1, $2) }
        try connection.define("@typed", arguments: 1) { [unowned states] arguments in
            guard let json = arguments[0].text else { return .null }
            return states.counted(SQLValue(try Node(json: json)))
        }
    }
}

extension RecordingQuery.States {
    private func isTravel(_ seq: Int64) throws -> Bool {
        guard seq > recording.start.seq, seq <= recording.lastStored else { return false }
        return try recording.action(Int(seq)).isTravel
    }

    func position(_ seq: SQLValue, _ reducer: SQLValue) throws -> SQLValue {
        if seq == .null { return .null }
        guard case .integer(let seq) = seq, seq >= 0 else {
            throw ExpressionError(
                .failed,
                "The first argument of position is the number of an action, but was \(seq.inWords)."
            )
        }
        let reducers = recording.reducers
        switch reducer {
        case .null: return .text("\(seq)")
        // In the views, 0 is time travel, which is one step.
        case .integer(0): return .text(try isTravel(seq) ? "\(seq)" : "\(seq).0")
        case .integer(let number) where number > 0 && number <= reducers.count:
            return .text("\(seq).\(number)")
        default:
            let index = reducers.firstIndex { reducer.text?.utf8.elementsEqual($0.utf8) ?? false }
            if let index { return .text("\(seq).\(index + 1)") }
            throw ExpressionError(
                .unknownName,
                "The second argument of position is the number or name of a reducer, but was \(reducer.inWords). "
                    + "The view reducers lists all \(reducers.count).",
                given: reducer.text,
                allowed: reducers
            )
        }
    }

    func value(_ position: SQLValue, _ path: SQLValue) throws -> SQLValue {
        guard let (position, path) = try place(position, path), let state = try state(at: position, states) else {
            return .null
        }
        return known(state[path], at: path)
    }

    func old(_ position: SQLValue, _ path: SQLValue) throws -> SQLValue {
        guard let (position, path) = try place(position, path), let before = before(position),
            let state = try state(at: before, statesBefore)
        else { return .null }
        return known(state[path], at: path)
    }

    func changed(_ position: SQLValue, _ path: SQLValue) throws -> SQLValue {
        guard let (position, path) = try place(position, path) else { return .null }
        guard let before = before(position) else { return .integer(0) }
        guard let new = try state(at: position, states), let old = try state(at: before, statesBefore) else {
            return .null
        }
        if new[path] != nil || old[path] != nil { paths[path] = true }
        guard let changed = hidden.hasChanged(old[path], new[path], at: path) else {
            redactedCount += 1
            return .null
        }
        return .integer(changed ? 1 : 0)
    }

    /// The position before the action or reducer of a row; `nil` at the start.
    private func before(_ position: Recording.Position) -> Recording.Position? {
        position > recording.start ? position.before : nil
    }

    private func place(_ position: SQLValue, _ path: SQLValue) throws -> (Recording.Position, NodePath)? {
        if position == .null || path == .null { return nil }
        let path = try path.path(orSuggesting: quotedCall.map { "Write the path in quotes: \($0)" })
        if paths[path] == nil { paths[path] = false }
        let name: String
        switch position {
        case .integer(let seq): name = "\(seq)"
        case .text(let text): name = text
        case .real, .blob, .marked, .null:
            throw ExpressionError(
                .failed,
                "value, old and changed take a position such as 3 or '3.2', but were given \(position.inWords)."
            )
        }
        return (try recording.position(name, knownOnly: false), path)
    }

    /// The state at a position; `nil` if it is not known.
    private func state(at position: Recording.Position, _ states: LazyStateCursor) throws -> Node? {
        let state = try states.knownState(at: position)
        if state == nil { unknownCount += 1 }
        if recording.doubtfulStates(at: position) != nil { doubtfulCount += 1 }
        return state
    }

    /// A value, after it was counted if it is a number that is a text.
    func counted(_ value: SQLValue) -> SQLValue {
        if case .marked(_, ExactNumber.mark) = value { longNumberCount += 1 }
        return value
    }

    /// What is known of a value.
    private func known(_ node: Node?, at path: NodePath) -> SQLValue {
        guard let node else { return .null }
        paths[path] = true
        guard hidden.extent(of: node, at: path) != .nothing else { return counted(SQLValue(node)) }
        redactedCount += 1
        return SQLValue(hidden.blanked(node, at: path))
    }
}
