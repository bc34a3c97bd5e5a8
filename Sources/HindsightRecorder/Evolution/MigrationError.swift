import HindsightTree

/// A failure of a migration, or migrations that do not lead from a recording's schema to the app's.
public struct MigrationError: Error, Sendable {
    /// The schema to which the migration leads, or the one that has no migration.
    public let schema: Int
    /// The operation that failed, as it was written; `nil` if the migrations themselves are wrong.
    public let operation: String?
    /// The place in the state or the action; `nil` if unknown.
    public let path: NodePath?
    /// The number of the action, or of the action after which the state was recorded; `nil` outside of a recording.
    public package(set) var seq: Int?
    /// Whether the recording is of a newer schema than the app.
    package var isNewer = false
    /// The problem, as a clause.
    public let reason: String

    init(schema: Int, operation: String, cause: any Error) {
        let error = cause as? TreeError
        self.schema = schema
        self.operation = operation
        path = error?.path
        reason = error?.reason ?? "\(cause)"
    }

    init(schema: Int, _ reason: String) {
        self.schema = schema
        self.reason = reason
        (operation, path) = (nil, nil)
    }
}

extension MigrationError: CustomStringConvertible {
    /// The migration, the operation, the problem and the place, in one line.
    public var description: String {
        guard let operation else { return reason }
        let place = path.map { $0.isRoot ? " (at the root)" : " (at \($0))" } ?? ""
        return "the migration to schema \(schema) failed in \(operation): \(reason)\(place)"
    }
}
