/// What a recording's file says of its limit, and what follows from it for the file.
extension RecordingLimit {
    /// Keys of the table `recording`, with whole numbers.
    enum Key {
        static let actions = "limit_actions"
        static let bytes = "limit_bytes"
        /// In nanoseconds.
        static let age = "limit_age"
    }

    /// The rows that say it.
    var facts: [(key: String, value: Int64)] {
        [
            actions.map { (Key.actions, Int64($0)) }, bytes.map { (Key.bytes, Int64($0)) },
            age.map { (Key.age, $0.nanoseconds) },
        ].compactMap { $0 }
    }

    /// Reads what the file says. What no limit can be is none.
    init(reading value: (_ key: String) throws -> Int64?) rethrows {
        let positive = { (number: Int64?) in number.flatMap { $0 > 0 ? Int($0) : nil } }
        actions = positive(try value(Key.actions))
        bytes = positive(try value(Key.bytes))
        age = positive(try value(Key.age)).map { .nanoseconds($0) }
    }

    /// How many texts the table `name` takes. It never shrinks.
    var nameCount: Int { bytes.map { min(max(64, $0 >> 13), 4096) } ?? 4096 }
}

extension RecordingFile {
    /// What keeps this file within the limit; `nil` where there is none.
    func keeper(of options: RecorderOptions) throws -> LimitKeeper? {
        guard !options.limit.isNone else { return nil }
        do {
            return try LimitKeeper(options.limit, connection, now: options.now) { options.onError?($0) }
        } catch {
            NewFile.remove(path)
            throw RecordingError(.unwritable, file: path, cause: error)
        }
    }
}
