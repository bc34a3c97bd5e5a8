import HindsightSQLite

/// The facts that every recording has.
package struct Facts {
    package var app: String
    package var version: String
    package var platform: String
    package var created: Int64
    package var limit: RecordingLimit
}

extension ReadableFile {
    /// Reads what the recording says about itself.
    package func metadata() throws -> Metadata {
        try reading {
            var metadata = Metadata()
            try metadata.read(from: connection)
            return metadata
        }
    }

    /// Returns the facts that every recording has.
    ///
    /// - Throws: ``RecordingError``: `damaged` if one is missing.
    package func facts(_ metadata: Metadata) throws -> Facts {
        func needed<Value>(_ value: Value?, _ key: String) throws -> Value {
            guard let value else { throw damaged("its table recording has no \(key)") }
            return value
        }
        typealias Key = Metadata.Key
        return try reading {
            Facts(
                app: try needed(metadata.text(Key.app), Key.app),
                version: try needed(metadata.text(Key.version), Key.version),
                platform: try needed(metadata.text(Key.platform), Key.platform),
                created: try needed(metadata.number(Key.created), Key.created),
                limit: try RecordingLimit { try metadata.number($0) }
            )
        }
    }
}
