/// The source location (or the line of an input file) that dispatched an action.
///
/// ```swift
/// store.dispatch(.add(1), from: Origin(file: "session.jsonl", line: 12))
/// ```
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The file as `#fileID` gives it (`Module/File.swift`), or the name of an input file.
    public let file: String
    /// The line, counted from 1.
    public let line: Int

    /// Creates an origin from the values of `#fileID` and `#line`.
    @inlinable
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    /// The origin of an action that was dispatched by a function value: an empty file, and line 0.
    public static var unknown: Origin { Origin(file: "", line: 0) }

    /// `file:line`; "unknown" for ``unknown``.
    public var description: String { self == .unknown ? "unknown" : "\(file):\(line)" }
}

/// What a store knows about an action that it is about to reduce, beside the action itself.
///
/// ```swift
/// func willReduce(_ action: AppAction, context: ActionContext) {
///     print("\(context.seq) answers \(context.parent ?? 0), from \(context.origin)")
/// }
/// ```
public struct ActionContext: Sendable {
    /// The action's number, counted from 1. The store assigns it immediately before the reducers run, so it gives the
    /// order of reduction. 0 stands for the initial state.
    public let seq: Int
    /// The number of the action whose middleware dispatched this one, if that action was reduced first.
    public let parent: Int?
    /// The numbers of the actions that this action's middleware dispatched before it passed this action on. They were
    /// reduced before their parent had a number.
    public let adopted: [Int]
    /// The place that dispatched the action.
    public let origin: Origin

    package init(seq: Int, parent: Int?, adopted: [Int], origin: Origin) {
        (self.seq, self.parent, self.adopted, self.origin) = (seq, parent, adopted, origin)
    }
}
