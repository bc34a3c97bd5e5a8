/// Says on the way down a node which patterns may still be met, at the cost of one lookup a name, however many patterns
/// there are.
///
/// It stands in a state. From ``dead`` no pattern can be met any more; a state is *hidden* where one has been met, and
/// all below such a place is hidden as well.
struct PathAutomaton: Sendable {
    /// The state in which nothing here or below is hidden.
    static let dead = 0
    /// The state below a place that is hidden.
    private static let below = 1

    private struct State: Sendable {
        var named: [String: Int] = [:]
        var number = PathAutomaton.dead
        var other = PathAutomaton.dead
        var isHidden = false
        var placeholder: Node?
        /// The numbers of the patterns that are met here.
        var met: [Int] = []
    }

    private var states = [State(), State(number: below, other: below, isHidden: true)]
    /// The state of the whole node.
    private(set) var start = dead

    /// More than the patterns of this world need; what those of a hostile file may cost is bounded by it.
    private static let mostPatterns = 1000
    private static let mostStates = 4096
    private static let mostWork = 500_000

    /// Prepares patterns, each with what is to stand for what it hides where that is given.
    ///
    /// - Throws: ``PatternError`` where one is no JSON Pointer, or all together are too many or too intricate.
    init(_ rules: [(pattern: String, placeholder: Node?)]) throws(PatternError) {
        if rules.count > Self.mostPatterns {
            throw PatternError(pattern: rules[0].pattern, reason: "there are more than \(Self.mostPatterns) patterns")
        }
        var patterns: [PathPattern] = []
        for rule in rules {
            guard let pattern = PathPattern(rule.pattern) else {
                throw PatternError(pattern: rule.pattern, reason: "it does not begin with /, or has a ~ without 0 or 1")
            }
            patterns.append(pattern)
        }
        var builder = Builder(patterns: patterns, placeholders: rules.map(\.placeholder))
        if patterns.isEmpty { return }
        start = builder.state(for: builder.closed(patterns.indices.map { Place(pattern: $0, index: 0) }))
        while let (state, places) = builder.waiting.popLast() {
            states += Array(repeating: State(), count: max(0, builder.count - states.count))
            states[state] = Self.state(for: places, &builder)
            if builder.work > Self.mostWork || builder.count > Self.mostStates {
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

    /// For names of which it is not known whether they are indices.
    func step(from state: Int, toName name: String) -> Int {
        if state <= Self.below { return state }
        if let next = states[state].named[name] { return next }
        return NodePath.index(name) == nil ? states[state].other : states[state].number
    }

    func isHidden(_ state: Int) -> Bool { states[state].isHidden }

    /// The numbers of the patterns that are met at a place; none below it.
    func patterns(metAt state: Int) -> [Int] { states[state].met }

    /// Whether all that a pattern can meet lies below what other patterns hide, as far as that can be told by itself.
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

    /// What is to stand at a hidden place, where that was given.
    func placeholder(_ state: Int) -> Node? { states[state].placeholder }

    // MARK: Building

    /// A pattern and how much of it has been met.
    private struct Place: Hashable {
        let pattern: Int
        let index: Int
    }

    /// Numbers the sets of places that are states.
    private struct Builder {
        let patterns: [PathPattern]
        let placeholders: [Node?]
        var numbers: [Set<Place>: Int] = [:]
        var waiting: [(state: Int, places: Set<Place>)] = []
        var count = 2
        /// How many places have been looked at.
        var work = 0

        /// The number of a state, a new one where the set is new.
        mutating func state(for places: Set<Place>) -> Int {
            if places.isEmpty { return PathAutomaton.dead }
            if let known = numbers[places] { return known }
            numbers[places] = count
            waiting.append((count, places))
            count += 1
            return count - 1
        }

        /// The places with those that are reached by no name at all: `**` may stand for none.
        func closed(_ places: [Place]) -> Set<Place> {
            var closed = Set(places)
            for place in places {
                var index = place.index
                while component(Place(pattern: place.pattern, index: index)) == .anyDepth {
                    index += 1
                    closed.insert(Place(pattern: place.pattern, index: index))
                }
            }
            return closed
        }

        /// What comes next at a place; `nil` at the pattern's end.
        func component(_ place: Place) -> PathPattern.Component? {
            let components = patterns[place.pattern].components
            return place.index < components.count ? components[place.index] : nil
        }
    }

    private static func state(for places: Set<Place>, _ builder: inout Builder) -> State {
        let met = places.filter { builder.component($0) == nil }.map(\.pattern).sorted()
        if !met.isEmpty {
            let placeholders = builder.placeholders
            let placeholder = met.lazy.compactMap { placeholders[$0] }.first
            return State(number: below, other: below, isHidden: true, placeholder: placeholder, met: met)
        }
        var always: [Place] = []
        var numbers: [Place] = []
        var named: [String: [Place]] = [:]
        for place in places {
            let next = Place(pattern: place.pattern, index: place.index + 1)
            switch builder.component(place) {
            case .name(let name): named[name, default: []].append(next)
            case .number: numbers.append(next)
            case .any: always.append(next)
            case .anyDepth: always.append(place)
            case nil: break
            }
        }
        builder.work += places.count + (named.count + 2) * (always.count + 1)
        // Then it is given up.
        if builder.work > mostWork { return State() }
        var state = State()
        state.other = builder.state(for: builder.closed(always))
        state.number = builder.state(for: builder.closed(always + numbers))
        for (name, places) in named.sorted(by: { $0.key < $1.key }) {
            state.named[name] = builder.state(for: builder.closed(always + places))
        }
        return state
    }
}
