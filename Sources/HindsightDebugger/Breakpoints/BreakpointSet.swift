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
    private(set) var positions: [(position: Recording.Position, breakpoint: Int)] = []
    private(set) var crash: [Int] = []
    private(set) var divergence: [Int] = []
    let filter: TouchFilter

    init(_ breakpoints: [Breakpoint], of recording: Recording) {
        self.breakpoints = breakpoints.filter(\.isEnabled)
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
                for number in recording.reducers.indices where recording.reducers[number].hasSameScalars(as: name) {
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
            case .crash: crash.append(index)
            case .divergence: divergence.append(index)
            }
        }
        filter = TouchFilter(places.map(\.path))
    }
}
