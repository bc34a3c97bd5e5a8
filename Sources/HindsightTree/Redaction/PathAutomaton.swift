/// A deterministic automaton that matches paths against all patterns at once, at one lookup a name.
///
/// From the state ``dead``, no pattern can match any more. A state is *hidden* if a pattern has matched, and so are all
/// states after it.
struct PathAutomaton: Sendable {
    /// The state from which no pattern can match.
    static let dead = 0
    /// The state below a match.
    private static let below = 1

    private struct State: Sendable {
        var named: [String: Int] = [:]
        var number = PathAutomaton.dead
        var other = PathAutomaton.dead
        var isHidden = false
        var placeholder: Node?
        /// The numbers of the patterns that match here.
        var matches: [Int] = []
    }

    private var states = [State(), State(number: below, other: below, isHidden: true)]
    /// The state at the root.
    private(set) var start = dead

    /// Bounds for the patterns of a hostile file. Those of an app stay far below.
    private static let maxPatterns = 1000
    private static let maxStates = 4096
    private static let maxWork = 500_000

    /// Compiles patterns, each with an optional placeholder for what it hides.
    ///
    /// - Parameter exact: Patterns in which a number matches only itself. ``step(from:to:)`` does not know numbers, so
    ///   such an automaton takes names.
    /// - Throws: ``PatternError`` if one is no JSON Pointer, or all together are too many or too intricate.
    init(_ rules: [(pattern: String, placeholder: Node?)], exact: [String] = []) throws(PatternError) {
        let count = rules.count
        let rules = rules + exact.map { ($0, nil) }
        if rules.count > Self.maxPatterns {
            throw PatternError(pattern: rules[0].pattern, reason: "there are more than \(Self.maxPatterns) patterns")
        }
        var patterns: [PathPattern] = []
        for (index, rule) in rules.enumerated() {
            guard let pattern = PathPattern(rule.pattern, isExact: index >= count) else {
                throw PatternError(pattern: rule.pattern, reason: "it does not begin with /, or has a ~ without 0 or 1")
            }
            patterns.append(pattern)
        }
        var builder = Builder(patterns: patterns, placeholders: rules.map(\.placeholder))
        if patterns.isEmpty { return }
        start = builder.state(for: builder.closed(patterns.indices.map { Progress(pattern: $0, index: 0) }))
        while let (state, places) = builder.waiting.popLast() {
            states += Array(repeating: State(), count: max(0, builder.count - states.count))
            states[state] = Self.state(for: places, &builder)
            if builder.work > Self.maxWork || builder.count > Self.maxStates {
                throw PatternError(pattern: rules[0].pattern, reason: "the patterns are too intricate together")
            }
        }
    }

    // MARK: Walking

    func step(from state: Int, to step: PathStep) -> Int {
        switch step {
        case .index: states[state].number
        case .key(let name), .entry(let name): self.step(from: state, toName: name)
        }
    }

    /// The next state for a name that may be an index or a key.
    func step(from state: Int, toName name: String) -> Int {
        if state <= Self.below { return state }
        if let next = states[state].named[name] { return next }
        return NodePath.index(name) == nil ? states[state].other : states[state].number
    }

    func isHidden(_ state: Int) -> Bool { states[state].isHidden }

    /// The numbers of the patterns that match at a path; none below it.
    func patterns(matchedAt state: Int) -> [Int] { states[state].matches }

    /// Whether these patterns hide all that `pattern` can match. `false` if that is not sure.
    func covers(_ pattern: PathPattern) -> Bool {
        var state = start
        for component in pattern.components {
            if states[state].isHidden { return true }
            switch component {
            case .name(let name): state = step(from: state, toName: name)
            case .number: state = states[state].number
            case .any: state = states[state].other
            case .anyDepth: return false
            }
        }
        return false
    }

    /// The placeholder of a hidden state, if its pattern has one.
    func placeholder(_ state: Int) -> Node? { states[state].placeholder }

    // MARK: Building

    /// A pattern and the number of its components that have matched.
    private struct Progress: Hashable {
        let pattern: Int
        let index: Int
    }

    /// The subset construction: each set of positions in the patterns is a state.
    private struct Builder {
        let patterns: [PathPattern]
        let placeholders: [Node?]
        var numbers: [Set<Progress>: Int] = [:]
        var waiting: [(state: Int, places: Set<Progress>)] = []
        var count = 2
        /// The number of positions examined so far.
        var work = 0

        /// The number of a set's state, a new one if the set is new.
        mutating func state(for places: Set<Progress>) -> Int {
            if places.isEmpty { return PathAutomaton.dead }
            if let known = numbers[places] { return known }
            numbers[places] = count
            waiting.append((count, places))
            count += 1
            return count - 1
        }

        /// The positions, and those that follow without a name, since `**` matches none too.
        func closed(_ places: [Progress]) -> Set<Progress> {
            var closed = Set(places)
            for place in places {
                var index = place.index
                while component(Progress(pattern: place.pattern, index: index)) == .anyDepth {
                    index += 1
                    closed.insert(Progress(pattern: place.pattern, index: index))
                }
            }
            return closed
        }

        /// The next component; `nil` at the pattern's end.
        func component(_ place: Progress) -> PathPattern.Component? {
            let components = patterns[place.pattern].components
            return place.index < components.count ? components[place.index] : nil
        }
    }

    private static func state(for places: Set<Progress>, _ builder: inout Builder) -> State {
        let matches = places.filter { builder.component($0) == nil }.map(\.pattern).sorted()
        if !matches.isEmpty {
            let placeholders = builder.placeholders
            let placeholder = matches.lazy.compactMap { placeholders[$0] }.first
            return State(number: below, other: below, isHidden: true, placeholder: placeholder, matches: matches)
        }
        var always: [Progress] = []
        var numbers: [Progress] = []
        var named: [String: [Progress]] = [:]
        for place in places {
            let next = Progress(pattern: place.pattern, index: place.index + 1)
            switch builder.component(place) {
            case .name(let name): named[name, default: []].append(next)
            case .number: numbers.append(next)
            case .any: always.append(next)
            case .anyDepth: always.append(place)
            case nil: break
            }
        }
        builder.work += places.count + (named.count + 2) * (always.count + 1)
        // The initializer throws then.
        if builder.work > maxWork { return State() }
        var state = State()
        state.other = builder.state(for: builder.closed(always))
        state.number = builder.state(for: builder.closed(always + numbers))
        for (name, places) in named.sorted(by: { $0.key < $1.key }) {
            state.named[name] = builder.state(for: builder.closed(always + places))
        }
        return state
    }
}
