import Foundation
import HindsightSQLite

/// What a recording says about itself: the table `recording`.
package struct Metadata {
    /// Keys of the table. Those of a limit and of redaction are in ``RecordingLimit/Key`` and ``Redaction/Key``.
    package enum Key {
        // Every recording has these.
        package static let neededTexts = [app, version, platform]
        package static let app = "app"
        package static let version = "version"
        package static let platform = "platform"
        package static let created = "created"

        /// The ``Metadata/id``.
        package static let id = "id"

        /// The version of the app's schema; absent if it is the first.
        package static let schema = "schema"

        /// The ID of the app's installation; absent if the app gave none.
        package static let installation = "installation"

        /// The types that are not `Codable`, so that the states are descriptions of them by reflection: see
        /// ``DescriptionText``.
        package static let described = "described"

        /// When the recorder was closed.
        package static let closed = "closed"
        /// Why the recorder stopped.
        package static let stopped = "stopped"
        /// The number of actions whose states were not audited.
        package static let unaudited = "unaudited"
        /// How far states were computed: see ``ComputedStates``; absent if all are the app's own.
        package static let computed = "computed"

        // A recovery writes these: the number of actions that it added; the position at which the process ended; what
        // the store was doing (``LastActivity``); the ``CrashSignal``; that the process called `exit`; actions that are
        // in no file; that there was no journal, so that the last actions are unknown.
        package static let recovered = "recovered"
        package static let died = "died"
        package static let during = "during"
        package static let signal = "signal"
        package static let exited = "exited"
        package static let lost = "lost"
        package static let lacksJournal = "lacksJournal"

        /// How the process ended.
        package static let crash = [died, during, signal, exited]
        /// The facts about the end of a recording.
        package static let ofEnding = [
            closed, stopped, died, during, signal, exited, recovered, lost, lacksJournal,
        ]

        /// The origin of a salvaged file.
        package static let salvaged = "salvaged"
        /// The recording from which the file was cut, as JSON: see ``CutOrigin``.
        package static let cut = "cut"
        /// The ``RecordingParent`` of a recording that a what-if has written.
        package static let parent = "parent"
    }

    package enum Value: Hashable {
        case text(String)
        case number(Int64)
        /// A value of a type that no recorder writes.
        case foreign
    }

    package private(set) var values: [String: Value] = [:]

    /// The largest number of rows to read. A recording has few.
    private static let maxRows = 1000

    package init() {}

    /// Reads the table. If that fails, the rows before the failure are kept.
    package mutating func read(from connection: Connection) throws(SQLiteError) {
        let row = try connection.prepare("SELECT key, value FROM recording LIMIT \(Self.maxRows)")
        while try row.step() {
            let text = row.withText(1) { Value.text(String(decoding: $0, as: UTF8.self)) }
            values[try row.text(0)] = row.isInteger(1) ? .number(try row.integer(1)) : text ?? .foreign
        }
    }

    /// Writes rows of the table. Omits foreign values.
    ///
    /// - Parameter replaces: Whether to replace rows with the same keys. Otherwise they stay.
    package static func write(
        _ values: [String: Value],
        replacing replaces: Bool = true,
        to connection: Connection
    ) throws(SQLiteError) {
        let conflict = replaces ? "REPLACE" : "IGNORE"
        let insert = try connection.prepare("INSERT OR \(conflict) INTO recording(key, value) VALUES (?, ?)")
        for (key, value) in values {
            try insert.bind(key, at: 1)
            switch value {
            case .text(let text): try insert.bind(text, at: 2)
            case .number(let number): try insert.bind(number, at: 2)
            case .foreign: continue
            }
            try insert.run()
        }
    }

    package subscript(key: String) -> Value? { values[key] }

    /// Returns a text; `nil` if there is none.
    ///
    /// - Throws: `mismatch` if the value is something else.
    package func text(_ key: String) throws(SQLiteError) -> String? {
        switch values[key] {
        case .text(let text)?: return text
        case nil: return nil
        case .number, .foreign: throw Self.mismatch("text")
        }
    }

    /// Returns a whole number; `nil` if there is none.
    ///
    /// - Throws: `mismatch` if the value is something else.
    package func number(_ key: String) throws(SQLiteError) -> Int64? {
        switch values[key] {
        case .number(let number)?: return number
        case nil: return nil
        case .text, .foreign: throw Self.mismatch("a whole number")
        }
    }

    /// The version of the app's schema; the first if there is none, and `nil` if it is not valid.
    package var schema: Int? {
        switch values[Key.schema] {
        case nil: AppInfo.firstSchema
        case .number(let number)?: number >= AppInfo.firstSchema ? Int32(exactly: number).map(Int.init) : nil
        case .text, .foreign: nil
        }
    }

    /// The recording's UUID, in lower case; `nil` if there is none.
    ///
    /// It is made when the recording begins. A copy keeps it, and so do parts, exports and a recovery. A what-if is
    /// another recording, with a UUID of its own.
    package var id: String? { values[Key.id].flatMap(Self.id) }

    /// The UUID that a value of ``Key/id`` is, in lower case; `nil` if it is none.
    static func id(_ value: Value) -> String? {
        guard case .text(let text) = value else { return nil }
        return UUID(uuidString: text)?.uuidString.lowercased()
    }

    /// Returns the UUID of a recording that begins.
    package static func makeID() -> String { UUID().uuidString.lowercased() }

    package static func mismatch(_ expected: String) -> SQLiteError {
        SQLiteError(SQLiteError.Code.mismatch.rawValue, "column value is not \(expected)", path: "")
    }

    /// Parses the value of ``Key/lost``: `3-5`.
    package static func actions(_ text: String) -> ClosedRange<Int>? {
        let bounds = text.split(separator: "-").compactMap { Int($0) }
        guard bounds.count == 2, 1...RecordingPosition.lastPossibleAction ~= bounds[1], 1...bounds[1] ~= bounds[0]
        else { return nil }
        return bounds[0]...bounds[1]
    }

    /// Returns the facts that every recording has.
    ///
    /// - Throws: A ``RecordingError`` with the code `damaged` if one is missing; `mismatch` if one has another type.
    package func facts(of path: String) throws -> Facts {
        func needed<Value>(_ value: (String) throws -> Value?, _ key: String) throws -> Value {
            if let value = try value(key) { return value }
            throw RecordingError(.damaged, file: path, reason: "its table recording has no \(key)")
        }
        guard let schema else {
            throw RecordingError(.damaged, file: path, reason: "its schema is no whole number from 1 up")
        }
        return Facts(
            app: try needed(text, Key.app),
            version: try needed(text, Key.version),
            schema: schema,
            platform: try needed(text, Key.platform),
            created: try needed(number, Key.created),
            id: id,
            installation: try text(Key.installation) ?? "",
            limit: try RecordingLimit(reading: number),
            described: try text(Key.described).map(DescriptionText.types(list:)) ?? [],
            computed: try text(Key.computed).flatMap { ComputedStates($0) }
        )
    }
}

/// The facts that every recording has.
package struct Facts {
    package var app: String
    package var version: String
    package var schema: Int
    package var platform: String
    package var created: Int64
    package var id: String?
    /// Empty if there is none.
    package var installation: String
    package var limit: RecordingLimit
    /// The types because of which the states are descriptions: see ``Metadata/Key/described``.
    package var described: [String]
    /// How far the states were computed by the recorder; `nil` if all are the app's own.
    package var computed: ComputedStates?
}
