import HindsightSQLite
import HindsightTree

/// A column of an expression: what it can read apart from the state.
enum ExpressionColumn: String, CaseIterable {
    case type, payload, reducer, duration, origin, position, seq, at, thread, task
}

/// What an expression reads at one position. `nil` stands for what is not known.
protocol ExpressionMoment: AnyObject {
    /// The value at a path: after the action or reducer, or before it. Null if there is none.
    ///
    /// - Parameter takesParts: Whether parts of the value may be hidden.
    func value(_ slot: Int, at path: NodePath, before: Bool, takingParts takesParts: Bool) throws -> SQLValue?
    /// Whether the action or reducer changed the value at a path.
    func hasChanged(_ slot: Int, at path: NodePath) throws -> Bool?
    func column(_ column: ExpressionColumn) throws -> SQLValue?
    /// The action's payload, if what is at a path in it is known.
    func payload(knownAt path: NodePath) throws -> SQLValue?
}

/// What an expression has read during one evaluation.
struct ExpressionReads {
    var readsColumn = false
    var readsOldState = false
}

/// An expression compiled in an SQLite database of its own, which is in memory and empty.
///
/// The expression stands in `SELECT CASE WHEN NOT (…) THEN 0 WHEN (…) THEN 1 END FROM (SELECT "@type"() AS type, … FROM
/// "@one")`. SQLite replaces each column by the call of its function, so that only what the expression needs is read, and
/// is noticed. It is false at most positions, and then evaluated once.
final class ExpressionProgram {
    /// What the functions share, apart from the connection that keeps them.
    fileprivate final class Context {
        var moment: (any ExpressionMoment)?
        var paths: [NodePath]
        var slots: [NodePath: Int] = [:]
        let namedCount: Int
        let payloadPaths: [NodePath]
        var reads = ExpressionReads()
        var isUnknown = false
        var failure: (any Error)?
        /// The value that ``ExpressionProgram/value(_:)`` has evaluated.
        var result = SQLValue.null
        /// What the authorizer has refused.
        var refused: SQLUse?

        init(_ translation: ExpressionTranslation) {
            (paths, namedCount) = (translation.paths, translation.paths.count)
            payloadPaths = translation.payloadPaths
            for (slot, path) in paths.enumerated() { slots[path] = slot }
        }
    }

    /// The most paths that an expression may compute.
    fileprivate static let maxPaths = 10_000
    /// The longest time that one evaluation may take.
    private static let longest = Duration.seconds(5)
    /// The most bytes of a value.
    private static let maxValueLength: Int32 = 100_000_000

    let translation: ExpressionTranslation
    private let connection: Connection
    private let statement: Statement
    /// The statement for values, once it is needed.
    private var valueStatement: ValueStatement?
    private let context: Context

    /// The paths by slot: those that the expression names, and those that it has computed.
    var paths: [NodePath] { context.paths }
    /// The number of paths that the expression names.
    var namedCount: Int { context.namedCount }
    /// What the last evaluation has read.
    var reads: ExpressionReads { context.reads }

    init(_ translation: ExpressionTranslation) throws(ExpressionError) {
        self.translation = translation
        let context = Context(translation)
        self.context = context
        do {
            let connection = try Connection("expression", .temporary)
            self.connection = connection
            try connection.execute("CREATE TABLE \"@one\"(\"@\"); INSERT INTO \"@one\" VALUES (1)")
            try connection.prepareTableFunctions()
            try connection.refuseTextInDoubleQuotes()
            connection.limitValues(toBytes: Self.maxValueLength, depth: 200)
            connection.limitWork(to: Self.longest)
            try Self.define(context, on: connection)
            // Otherwise each evaluation begins and ends a transaction.
            try connection.execute("BEGIN")
            connection.authorize { [unowned context] use in
                if AllowedSQL.isAllowedInExpression(use) { return true }
                context.refused = use
                return false
            }
            statement = try connection.prepare(
                "\(Self.head)\(translation.sql)\(Self.middle)\(translation.sql)\(Self.tail)"
            )
            // In a WHERE clause, SQLite refuses what is only possible in a column, such as count(*).
            _ = try connection.prepare("\(Self.condition)\(translation.sql)\n)")
        } catch {
            let isCondition = error.sql.map { $0.hasPrefix(Self.condition) } ?? false
            let head = isCondition ? Self.condition : Self.head
            let second = head.utf8.count + translation.sql.utf8.count + Self.middle.utf8.count
            let offset = error.offset.map {
                translation.offset(ofSQL: max(0, $0 >= second ? $0 - second : $0 - head.utf8.count))
            }
            throw translation.mistake(error, at: offset, refusing: context.refused)
        }
    }

    // SQLite evaluates a condition only as far as it needs, and a column always as a whole.
    private static let head = "SELECT CASE WHEN NOT (\n"
    private static let middle = "\n) THEN 0 WHEN (\n"
    private static let tail = "\n) THEN 1 END \(from)"
    private static let condition = "SELECT 1 \(from) WHERE (\n"
    // A function sees whether a text is JSON, or a number that SQLite would round.
    private static let result = "SELECT \"@result\"(\n"
    private static let from =
        "FROM (SELECT "
        + ExpressionColumn.allCases.map { "\"@\($0.rawValue)\"() AS \"\($0.rawValue)\"" }.joined(separator: ", ")
        + " FROM \"@one\")"

    // MARK: Evaluating

    /// Evaluates the expression as a condition. Costs about a microsecond, and what it reads.
    func evaluate(_ moment: any ExpressionMoment) throws -> RecordingExpression.Truth {
        defer { statement.reset() }
        guard try step(statement, moment) else { return .null }
        if context.isUnknown { return .unknown }
        return switch statement.truth(0) {
        case true?: .yes
        case false?: .no
        case nil: .null
        }
    }

    /// Evaluates the expression to its value; `nil` if that is not known.
    func value(_ moment: any ExpressionMoment) throws -> SQLValue? {
        let prepared = try valueStatement ?? prepareValueStatement()
        defer { prepared.statement.reset() }
        context.result = .null
        _ = try step(prepared.statement, moment)
        return context.isUnknown ? nil : context.result
    }

    private final class ValueStatement {
        let statement: Statement

        init(_ statement: consuming Statement) { self.statement = statement }
    }

    private func prepareValueStatement() throws(ExpressionError) -> ValueStatement {
        do {
            let sql = "\(Self.result)\(translation.sql)\n) \(Self.from)"
            let prepared = ValueStatement(try connection.prepare(sql))
            valueStatement = prepared
            return prepared
        } catch {
            let offset = error.offset.map { translation.offset(ofSQL: max(0, $0 - Self.result.utf8.count)) }
            throw translation.mistake(error, at: offset, refusing: context.refused)
        }
    }

    /// Reads the row of a statement; `false` if there is none.
    private func step(_ statement: borrowing Statement, _ moment: any ExpressionMoment) throws -> Bool {
        context.moment = moment
        context.reads = ExpressionReads()
        context.isUnknown = false
        context.failure = nil
        defer { context.moment = nil }
        do {
            return try statement.step()
        } catch {
            if let failure = context.failure { throw failure }
            throw translation.mistake(error, at: nil)
        }
    }

    // MARK: Functions

    private static func define(_ context: Context, on connection: Connection) throws(SQLiteError) {
        func define(_ name: String, _ count: Int, _ body: @escaping SQLFunction.Body) throws(SQLiteError) {
            try connection.define(name, arguments: count) { [unowned context] arguments in
                do {
                    return try body(arguments)
                } catch {
                    context.failure = error
                    throw error
                }
            }
        }
        for column in ExpressionColumn.allCases {
            try define("@\(column.rawValue)", 0) { [unowned context] _ in
                context.reads.readsColumn = true
                return context.known(try context.moment?.column(column))
            }
        }
        for (name, read) in Context.readers {
            for isExact in [false, true] {
                func value(_ context: Context, _ slot: Int) throws -> SQLValue {
                    let value = try read(context, slot)
                    if isExact { try value.checkExact(context.paths[slot]) }
                    return value
                }
                try define(isExact ? "@exact \(name)" : "@\(name)", 1) { [unowned context] arguments in
                    let slot = arguments.integer(0).flatMap { Int(exactly: $0) } ?? -1
                    return context.paths.indices.contains(slot) ? try value(context, slot) : .null
                }
                try define(isExact ? "@exact call of \(name)" : name, 1) { [unowned context] arguments in
                    try context.slot(arguments[0]).map { try value(context, $0) } ?? .null
                }
            }
        }
        try define("@part", 1) { [unowned context] arguments in
            let slot = arguments.integer(0).flatMap { Int(exactly: $0) } ?? -1
            guard context.paths.indices.contains(slot) else { return .null }
            return try context.value(slot, before: false, takingParts: true)
        }
        try define("@payload", 1) { [unowned context] arguments in
            let number = arguments.integer(0).flatMap { Int(exactly: $0) } ?? -1
            guard context.payloadPaths.indices.contains(number) else { return .null }
            context.reads.readsColumn = true
            return context.known(try context.moment?.payload(knownAt: context.payloadPaths[number]))
        }
        try define("@result", 1) { [unowned context] arguments in
            context.result = arguments[0]
            return .null
        }
        try define("@compare", 2) { arguments in
            ExactNumber.compare(arguments[0], arguments[1]).map { .integer(Int64($0)) } ?? .null
        }
        try define("@number", 1) { arguments in
            if case .text(let digits) = arguments[0] { .marked(digits, ExactNumber.mark) } else { .null }
        }
    }
}

extension ExpressionTranslation {
    /// What a failure of SQLite means, at a place in the expression.
    fileprivate func mistake(_ error: SQLiteError, at offset: Int?, refusing use: SQLUse? = nil) -> ExpressionError {
        SQLMistake.error(error, in: text, tokens, at: offset, refusing: use)
    }
}

extension ExpressionProgram.Context {
    fileprivate typealias Reader = @Sendable (ExpressionProgram.Context, Int) throws -> SQLValue

    /// The functions that read the state.
    fileprivate static let readers: [(String, Reader)] = [
        ("value", { try $0.value($1, before: false) }),
        ("old", { try $0.value($1, before: true) }),
        ("changed", { try $0.hasChanged($1) }),
    ]

    fileprivate func value(_ slot: Int, before isBefore: Bool, takingParts: Bool = false) throws -> SQLValue {
        if isBefore { reads.readsOldState = true }
        return known(try moment?.value(slot, at: paths[slot], before: isBefore, takingParts: takingParts))
    }

    fileprivate func hasChanged(_ slot: Int) throws -> SQLValue {
        reads.readsOldState = true
        let changed = try moment?.hasChanged(slot, at: paths[slot])
        return known(changed.map { .integer($0 ? 1 : 0) })
    }

    fileprivate func known(_ value: SQLValue?) -> SQLValue {
        if let value { return value }
        isUnknown = true
        return .null
    }

    /// The slot of a path that the expression computes; `nil` if it is null.
    fileprivate func slot(_ argument: SQLValue) throws -> Int? {
        if argument == .null { return nil }
        let path = try argument.path()
        if let slot = slots[path] { return slot }
        guard paths.count < ExpressionProgram.maxPaths else {
            throw ExpressionError(.failed, "The expression reads more than 10,000 paths.")
        }
        paths.append(path)
        slots[path] = paths.count - 1
        return paths.count - 1
    }
}
