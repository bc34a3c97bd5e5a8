import HindsightTree

/// The thread that dispatched an action, and the task that ran on it.
///
/// ```swift
/// if let thread = try recording.action(42).thread, !thread.isMain {
///     print("dispatched on thread \(thread.number), by task \(thread.task ?? "without a name")")
/// }
/// ```
///
/// Names are not redacted.
package struct DispatchingThread: Codable, Sendable, Hashable {
    /// 1 for the main thread. The others count from 2, in the order in which they first dispatched to a recorded store
    /// of their process.
    package let number: Int
    /// The name that the thread had when it first dispatched; `nil` for the main thread, or if it had none.
    package let name: String?
    /// The name of the task that dispatched; `nil` if it has none, if no task did, or if the system is older than task
    /// names: macOS 26 and iOS 26 have them.
    package let task: String?

    /// Whether this is the main thread.
    package var isMain: Bool { number == Self.main }

    /// The number of the main thread.
    package static let main = 1
    /// The size of the longest name in bytes. The end of a longer one is left out.
    package static let maxNameLength = 256

    package init(number: Int, name: String? = nil, task: String? = nil) {
        self.number = number
        self.name = name.map(Self.shortened)
        self.task = task.map(Self.shortened)
    }

    /// The text, or the beginning of one that is too long, with an ellipsis.
    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > maxNameLength else { return text }
        let ellipsis = "…"
        var start = String.UnicodeScalarView()
        var bytes = ellipsis.utf8.count
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > maxNameLength { break }
            start.append(scalar)
        }
        return String(start) + ellipsis
    }

    /// Whether a name could be one of a recording.
    private static func isPossible(name: String) -> Bool { name.utf8.count <= maxNameLength }

    /// The object in the line of an action, in the tool's JSON, and, as text, in the table `name`.
    package var node: Node {
        var members: [Node.Member] = [.init("number", .int(number))]
        if let name { members.append(.init("name", .string(name))) }
        if let task { members.append(.init("task", .string(task))) }
        return .object(members)
    }

    /// `nil` if it is the object of no thread.
    package init?(_ node: Node) {
        guard case .object(let members) = node else { return nil }
        var (number, name, task): (Int?, String?, String?)
        for member in members {
            switch (member.key, member.value) {
            case ("number", .int(let value)) where value >= Self.main: number = value
            case ("name", .string(let text)) where Self.isPossible(name: text): name = text
            case ("task", .string(let text)) where Self.isPossible(name: text): task = text
            default: return nil
            }
        }
        guard let number else { return nil }
        self.init(number: number, name: name, task: task)
    }

    /// Whether names have the same scalars. `==` takes canonically equivalent names for equal.
    package static func areIdentical(_ left: String?, _ right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
        case (nil, _?), (_?, nil): false
        }
    }
}

extension DispatchingThread: Answer {
    package static let notes = ["number": "1: the main thread"]
}

/// What is known about the thread that dispatched an action, seen from the action before it.
package enum ThreadChange: Equatable, Sendable {
    case unknown
    /// It is the thread and the task of the action before.
    case unchanged
    case thread(DispatchingThread)

    package init(_ thread: DispatchingThread?) {
        self = thread.map(ThreadChange.thread) ?? .unknown
    }

    /// A form of the thread, given that of the action before; `nil` if it is not known.
    package func form<Form>(_ form: (DispatchingThread) -> Form, after previous: Form?) -> Form? {
        switch self {
        case .unknown: nil
        case .unchanged: previous
        case .thread(let thread): form(thread)
        }
    }
}
