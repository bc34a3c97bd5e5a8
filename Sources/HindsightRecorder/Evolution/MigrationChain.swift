import HindsightFormat
import HindsightTree

/// The migrations that lead from a recording's schema to the app's, in their order.
package struct MigrationChain: Sendable {
    package let migrations: [Migration]

    /// Checks all migrations of an app, and selects those that apply.
    ///
    /// - Throws: ``MigrationError`` if a version is repeated, missing or not one of the app's, or if the recording is
    ///   of a newer schema.
    package init(_ all: [Migration], from recorded: Int, to today: Int) throws(MigrationError) {
        var known: [Int: Migration] = [:]
        for migration in all {
            let schema = migration.schema
            guard schema > AppInfo.firstSchema else {
                throw MigrationError(
                    schema: schema,
                    "no migration leads to schema \(schema): the first schema is 1, so the first migration leads to 2"
                )
            }
            guard schema <= today else {
                throw MigrationError(
                    schema: schema,
                    "the app's schema is \(today), but it has a migration to schema \(schema)"
                )
            }
            guard known.updateValue(migration, forKey: schema) == nil else {
                throw MigrationError(schema: schema, "there are two migrations to schema \(schema)")
            }
        }
        guard recorded <= today else {
            var error = MigrationError(
                schema: recorded,
                "it was made by a newer version of the app: its schema is \(recorded), and this build's is \(today)"
            )
            error.isNewer = true
            throw error
        }
        var migrations: [Migration] = []
        for schema in recorded..<today {
            guard let migration = known[schema + 1] else {
                throw MigrationError(
                    schema: schema + 1,
                    "it is of schema \(recorded), this build's is \(today), and there is no migration to \(schema + 1)"
                )
            }
            migrations.append(migration)
        }
        self.migrations = migrations
    }

    package var isEmpty: Bool { migrations.isEmpty }
    /// Whether an operation applies to states.
    package var convertsStates: Bool { migrations.contains { $0.operations.contains { $0.state != nil } } }

    /// Converts an action. See ``Migration/action(_:)``.
    package func actions(_ recorded: Node) throws(MigrationError) -> [Node] {
        var actions = [recorded]
        for migration in migrations {
            var converted: [Node] = []
            for action in actions { converted += try migration.action(action) }
            actions = converted
        }
        return actions
    }

    /// Converts a state. See ``Migration/state(_:)``.
    package func state(_ recorded: Node) throws(MigrationError) -> Node {
        var state = recorded
        for migration in migrations { state = try migration.state(state) }
        return state
    }
}
