import HindsightSQLite

/// The facts in a recording's table `recording`.
package struct Facts {
    package var app: String
    package var version: String
    package var platform: String
    package var created: Int64
    package var limit: RecordingLimit
}

extension ReadableFile {
    /// Reads the facts.
    package func facts() throws(RecordingError) -> Facts {
        try reading {
            let value = try connection.prepare("SELECT value FROM recording WHERE key = ?")
            func text(_ key: String) throws -> String {
                defer { value.reset() }
                try value.bind(key, at: 1)
                guard try value.step() else { throw damaged("its table recording has no \(key)") }
                return try value.text(0)
            }
            guard let created = try connection.integer("SELECT value FROM recording WHERE key = 'created'") else {
                throw damaged("its table recording has no created")
            }
            let limit = try RecordingLimit { key in
                defer { value.reset() }
                try value.bind(key, at: 1)
                return try value.step() ? value.integer(0) : nil
            }
            return Facts(
                app: try text("app"),
                version: try text("version"),
                platform: try text("platform"),
                created: created,
                limit: limit
            )
        }
    }
}
