import HindsightQuery
import HindsightTree

/// The breakpoints of a search, sorted by what they look for, so that one pass over the actions serves all.
struct BreakpointSet {
    let breakpoints: [Breakpoint]
    /// The breakpoints by the types of actions, and by what a type begins with: `market` for `market.quotes`.
    private(set) var byType: [ScalarKey: [Int]] = [:]
    private(set) var byOuterType: [ScalarKey: [Int]] = [:]
    /// The breakpoints by the numbers of reducers.
    private(set) var byReducer: [Int: [Int]] = [:]
    /// The watched paths, each once, with their breakpoints.
    private(set) var places: [(path: NodePath, breakpoints: [Int])] = []
    private(set) var expressions: [(expression: RecordingExpression, isWatch: Bool, breakpoint: Int)] = []
    /// The positions at which breakpoints hit, whatever led there; those of each breakpoint in order.
    private(set) var positions: [(position: Recording.Position, breakpoint: Int)] = []
    let filter: TouchFilter

    /// - Parameter divergences: The positions at which today's reducers do something else, in order.
    init(_ breakpoints: [Breakpoint], of timeline: Timeline, divergences: [Recording.Position]) {
        self.breakpoints = breakpoints.filter(\.isEnabled)
        let reducers = timeline.recording.reducers
        var indices: [NodePath: Int] = [:]
        for (index, breakpoint) in self.breakpoints.enumerated() {
            switch breakpoint.kind {
            case .action(let type):
                byType[ScalarKey(type), default: []].append(index)
                var outer = Substring(type)
                while let dot = outer.lastIndex(of: ".") {
                    outer = outer[..<dot]
                    byOuterType[ScalarKey(String(outer)), default: []].append(index)
                }
            case .reducer(let name):
                for number in reducers.indices where reducers[number].hasSameScalars(as: name) {
                    byReducer[number + 1, default: []].append(index)
                }
            case .change(let path):
                if let place = indices[path] {
                    places[place].breakpoints.append(index)
                } else {
                    indices[path] = places.count
                    places.append((path, [index]))
                }
            case .expression(let expression): expressions.append((expression, false, index))
            case .turn(let expression): expressions.append((expression, true, index))
            case .position(let position): positions.append((position, index))
            case .crash: if timeline.last.reducer == 0 { positions.append((timeline.last, index)) }
            case .divergence: positions += divergences.map { (position: $0, breakpoint: index) }
            }
        }
        filter = TouchFilter(places.map(\.path))
    }
}
