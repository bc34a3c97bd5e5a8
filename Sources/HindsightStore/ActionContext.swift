/// The place in the source (or in an input file) from which an action was dispatched.
///
/// ```swift
/// store.dispatch(.add(1), from: Origin(file: "session.jsonl", line: 12))
/// ```
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The file, as `#fileID` gives it (`Module/File.swift`), or the name of an input file.
    public let file: String
    /// The line, counted from 1.
    public let line: Int

    /// Creates an origin; both arguments are as `#fileID` and `#line` give them.
    @inlinable
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    /// `file:line`.
    public var description: String { "\(file):\(line)" }
}

/// What a store knows about an action at the reducers' door, beside the action itself.
///
/// ```swift
/// func willReduce(_ action: AppAction, context: ActionContext) {
///     print("\(context.seq) answers \(context.parent ?? 0), from \(context.origin)")
/// }
/// ```
public struct ActionContext: Sendable {
    /// The action's number. It counts from 1 and is given when the action reaches the reducers, so it is the order in
    /// which actions were reduced; 0 stands for the initial state.
    public let seq: Int
    /// The number of the action in whose middleware this one was dispatched, where that one was reduced before it.
    public let parent: Int?
    /// The numbers of actions that this action's middleware dispatched before letting it through: they were reduced
    /// earlier, and learn only now who their parent is.
    public let adopted: [Int]
    /// Where the action was dispatched.
    public let origin: Origin
}
