#if Archive
    import HindsightSupport

    extension ArchiveConnection {
        /// Runs statements in a transaction. If `body` throws, nothing of it stays.
        ///
        /// - Parameter keeps: Whether something stays at all, such as a setting of the session.
        package func transaction<Value>(keeps: Bool = true, _ body: () throws -> Value) throws -> Value {
            let settings = isPooled ? "\(isReadOnly ? " READ ONLY" : ""); \(settings("LOCAL"))" : ""
            do {
                try runScript("BEGIN ISOLATION LEVEL READ COMMITTED\(settings)")
                let value = try body()
                try runScript(keeps ? "COMMIT" : "ROLLBACK")
                return value
            } catch {
                if isOpen {
                    let own = timeout
                    // The server may have been silent for long enough.
                    timeout = .seconds(2)
                    do { try runScript("ROLLBACK") } catch { abandon() }
                    timeout = own
                }
                throw error
            }
        }

        /// Runs what is a transaction of its own, and again if another session got in its way.
        ///
        /// - Parameter kinds: The errors that say so.
        func retrying<Value>(_ kinds: [ArchiveError.Kind] = [.conflict], _ body: () throws -> Value) throws -> Value {
            for turn in 1..<Self.maxTries {
                do {
                    return try body()
                } catch let error as ArchiveError where isOpen && kinds.contains(error.kind) {
                    usleep(UInt32(turn) * 50_000)
                }
            }
            return try body()
        }

        private static let maxTries = 10
    }
#endif
