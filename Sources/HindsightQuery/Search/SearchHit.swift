import HindsightFormat
import HindsightRecording
import HindsightTree

/// A place at which a text appears: see ``Recording/search(for:in:_:)``.
package struct SearchHit: Sendable, Hashable {
    /// Where the text comes from.
    package enum Source: Sendable, Hashable {
        /// The state at the start of the recording.
        case initialState
        /// The payload of the action.
        case action
        /// The reducer with this number, from 1; 0 is time travel.
        case reducer(Int)
        /// One of these actions, whose states were left out.
        case run(ClosedRange<Int>)
        /// One of these actions, in a change that the recorder missed: a keyframe shows the text.
        case missedChange(ClosedRange<Int>)
    }

    /// The position from which on the value has the text; for an action, the one before its first reducer.
    package var position: Recording.Position
    /// Where the text comes from.
    package var source: Source
    /// The path of the value in the state, or in the action's payload. For a name, that of the member with this name.
    package var path: NodePath
    /// The string or number that has the text; for a name, the name.
    package var value: Node
    /// Whether the text is in the name of a member, and not in its value.
    package var isName: Bool
    /// Whether the states there are doubtful: see `Recording.doubtful`.
    package var isDoubtful: Bool
}

/// A place in the answer of `search`.
package struct SearchHitFacts: Answer {
    package enum Source: String, Codable, CaseIterable, Sendable {
        case initialState = "initial state"
        case action, reducer
        case timeTravel = "time travel"
        case leftOut = "left out"
        case missedChange = "missed change"
    }

    package let position: Recording.Position
    package let seq: Int
    package let source: Source
    @Nullable package var reducer: Int?
    @Nullable package var name: String?
    @Nullable package var type: String?
    package let path: NodePath
    package let value: Node
    package let isName: Bool
    package let doubtful: Bool
    @Nullable package var actions: ClosedRange<Int>?

    package static let notes = [
        "name": "of the reducer", "type": "of the action", "isName": "the text is in the name of a member",
        "actions": "[first, last], whose states were left out, or one of which made a missed change",
    ]
}

extension SearchHit {
    package func facts(in recording: Recording) throws(RecordingError) -> SearchHitFacts {
        let (source, number, run): (SearchHitFacts.Source, Int?, ClosedRange<Int>?) =
            switch self.source {
            case .initialState: (.initialState, nil, nil)
            case .action: (.action, nil, nil)
            case .reducer(0): (.timeTravel, nil, nil)
            case .reducer(let number): (.reducer, number, nil)
            case .run(let range): (.leftOut, nil, range)
            case .missedChange(let range): (.missedChange, nil, range)
            }
        return SearchHitFacts(
            position: position,
            seq: position.seq,
            source: source,
            reducer: number,
            name: number.map { recording.name(ofReducer: $0) ?? "reducer \($0)" },
            type: source == .initialState || run != nil ? nil : try recording.action(position.seq).type,
            path: path,
            value: value,
            isName: isName,
            doubtful: isDoubtful,
            actions: run
        )
    }
}

/// Where a search looks.
package enum SearchScope: String, Sendable, CaseIterable {
    /// In the payloads of actions.
    case actions
    /// In the initial state, and in what reducers write.
    case state
}

/// A value or a name in a node that matches.
struct NodeMatch {
    /// The place of a match. A member's name and its value have the same path.
    struct Place: Hashable {
        var path: NodePath
        var isName: Bool
    }

    var place: Place
    var value: Node
}

extension TextPattern {
    /// All values and names in a node that match, in its order.
    func matches(in node: Node, at path: NodePath = NodePath()) -> [NodeMatch] {
        var found: [NodeMatch] = []
        forEachMatch(in: node, at: path) { found.append($0) }
        return found
    }

    /// Calls `body` with all values and names in a node that match, in its order.
    func forEachMatch(
        in node: Node,
        at path: NodePath = NodePath(),
        _ body: (NodeMatch) throws -> Void
    ) rethrows {
        var components = path.components
        try visit(node, &components, body)
    }

    private func visit(_ node: Node, _ path: inout [String], _ body: (NodeMatch) throws -> Void) rethrows {
        switch node {
        case .null, .bool, .data:
            break
        case .array, .object:
            let isObject = if case .object = node { true } else { false }
            for (name, value) in node.children {
                path.append(name)
                if isObject, matches(name) {
                    let place = NodeMatch.Place(path: NodePath(path), isName: true)
                    try body(NodeMatch(place: place, value: .string(name)))
                }
                try visit(value, &path, body)
                path.removeLast()
            }
        case .int, .number, .string:
            guard matches(node) else { return }
            try body(NodeMatch(place: NodeMatch.Place(path: NodePath(path), isName: false), value: node))
        }
    }
}
