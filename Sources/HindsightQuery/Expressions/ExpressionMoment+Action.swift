import HindsightRecording
import HindsightSQLite
import HindsightTree

// The columns of an action.
extension ExpressionMoment {
    func column(_ column: ExpressionColumn) throws -> SQLValue? {
        switch column {
        case .position: return .text(position.description)
        case .seq: return .integer(Int64(position.seq))
        default: break
        }
        guard try moveToAction() else { return .null }
        switch column {
        case .reducer: return reducer()
        case .duration: return try duration()
        case .type: return .text(try rows.type())
        case .payload: return try payload(knownAt: NodePath())
        case .origin: return try rows.origin().map { .text("\($0.file):\($0.line)") } ?? .null
        case .at: return .integer(try rows.at())
        case .thread: return try rows.thread().map { .integer(Int64($0.number)) } ?? .null
        case .task: return try rows.thread()?.task.map { .text($0) } ?? .null
        case .position, .seq: return .null
        }
    }

    /// Moves the cursor to the present action; `false` at the start, to which none leads.
    private func moveToAction() throws -> Bool {
        guard position.seq > recording.start.seq else { return false }
        try rows.move(to: position.seq)
        return true
    }

    func actionDuration() throws -> SQLValue { try rows.duration().map { .integer($0) } ?? .null }

    /// The text of the action's payload; `nil` if there is none.
    func payload() throws -> String? { try moveToAction() ? rows.payload() : nil }

    /// The action's payload, if what is at a path in it is known.
    func payload(knownAt path: NodePath) throws -> SQLValue? {
        guard let text = try payload() else { return .null }
        let isHidden = try hidden.areInActions && hidden.areIn(payload: node(ofPayload: text), at: path)
        return isHidden ? nil : .text(text)
    }

    func node(ofPayload text: String) throws -> Node {
        do {
            return try Node(json: text)
        } catch {
            throw recording.damaged("its action is not valid JSON", seq: position.seq, cause: error)
        }
    }
}

extension RecordingExpression {
    /// The columns of an action that it may read.
    var actionColumns: Set<ActionCursor.Column> {
        var columns: Set<ActionCursor.Column> = []
        for column in self.columns {
            switch column {
            case .type: columns.insert(.type)
            case .payload: columns.insert(.payload)
            case .duration: columns.insert(.duration)
            case .origin: columns.formUnion([.file, .line])
            case .at: columns.insert(.at)
            case .thread, .task: columns.insert(.thread)
            case .reducer, .position, .seq: break
            }
        }
        return columns
    }
}
