import HindsightTree

/// Converts recorded actions and states from one schema of an app to the next.
///
/// ```swift
/// let app = ReplayableApp(
///     "shop",
///     initial: Shop(),
///     reducer: shopReducer,
///     migrations: [
///         Migration(to: 2) {
///             $0.renameAction("addItem", to: "add")
///             $0.renameField("/user/nmae", to: "name")
///         }
///     ]
/// )
/// ```
///
/// A migration works on nodes, so it needs no earlier version of your types. Its operations run in their order, each on
/// the result of the one before. Recordings stay as they are: a replay migrates what it reads.
///
/// **Paths.** A path of a field is a JSON Pointer in the state, such as `/user/name`. `*` matches each element or
/// member (`/items/*/title`), and `**` any number of levels. With `in:`, the path begins in the payload of that action:
/// `renameField("/_0", to: "id", in: "toggle")` gives a payload its label.
///
/// **Names of actions.** The name of a case; for an enum in the payload, with the cases around it: `market.quotes`. An
/// action that is registered under a name has that name.
///
/// **Nothing there.** An action or state without the named case or field stays as it is, since not every state has
/// every optional field. An operation fails if its result would replace another field.
public struct Migration: Sendable {
    /// The schema to which the migration leads, from the one before it.
    public let schema: Int

    var operations: [Operation] = []
    /// The calls that made the operations, without what is not known of them: `addField("/page", default: …)`.
    package var calls: [String] { operations.map(\.name) }

    /// One operation. It applies to actions or to states.
    struct Operation: Sendable {
        /// The call that made it, for messages: `renameField("/user/nmae", to: "name")`.
        let name: String
        /// Turns an action into none, one or several.
        var action: (@Sendable (Node) throws -> [Node])?
        var state: (@Sendable (Node) throws -> Node)?
    }

    /// Creates a migration.
    ///
    /// - Parameters:
    ///   - schema: The schema to which it leads; at least 2, because the first schema is 1.
    ///   - build: Adds the operations.
    public init(to schema: Int, _ build: (inout Migration) -> Void) {
        self.schema = schema
        build(&self)
    }

    /// Converts an action from the schema before ``schema``. Costs a pass over the action.
    ///
    /// - Returns: One action, several if it was split, none if it was removed.
    /// - Throws: ``MigrationError``.
    public func action(_ recorded: Node) throws(MigrationError) -> [Node] {
        var actions = [recorded]
        for operation in operations {
            guard let convert = operation.action else { continue }
            var converted: [Node] = []
            for action in actions {
                converted += try naming(operation) { try convert(action) }
            }
            actions = converted
        }
        return actions
    }

    /// Converts a state from the schema before ``schema``. Costs a pass over the paths that the operations name.
    ///
    /// - Throws: ``MigrationError``.
    public func state(_ recorded: Node) throws(MigrationError) -> Node {
        var state = recorded
        for operation in operations {
            guard let convert = operation.state else { continue }
            let present = state
            state = try naming(operation) { try convert(present) }
        }
        return state
    }

    private func naming<Result>(_ operation: Operation, _ body: () throws -> Result) throws(MigrationError) -> Result {
        do {
            return try body()
        } catch {
            throw MigrationError(schema: schema, operation: operation.name, cause: error)
        }
    }
}
