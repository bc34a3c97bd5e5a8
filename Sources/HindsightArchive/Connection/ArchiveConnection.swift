#if Archive
    import CPostgres
    import Foundation
    import HindsightSupport

    /// A connection to a PostgreSQL server, over libpq. Use it from one thread.
    ///
    /// Every wait has a deadline: if nothing comes from the server for the ``timeout``, the call fails with the kind
    /// `stalled`. Values go to the server as parameters, never as part of a statement's text.
    package final class ArchiveConnection {
        let connection: OpaquePointer
        /// How long the server may be silent.
        package var timeout: Duration
        /// Asked a few times a second during waits. If it returns `true`, the statement is canceled, and the call fails
        /// with the kind `interrupted`.
        package var isInterrupted: (() -> Bool)?
        private let address: String
        let isReadOnly: Bool
        /// Whether a pooler such as PgBouncer is between, which may give each transaction another of the server's sessions.
        package private(set) var isPooled = false

        /// The oldest server that has what the archive needs.
        private static let oldestServer: Int32 = 140_000

        /// Connects.
        ///
        /// - Parameters:
        ///   - url: A URL or a connection string of libpq: `postgres://user@host/database`. Empty for the one of the
        ///     environment's `PG…` variables.
        ///   - timeout: How long to wait for the connection, and for the server's answers later.
        ///   - isReadOnly: Whether the server refuses each statement that would write, also by a function that it calls.
        ///   - isInterrupted: See ``isInterrupted``.
        package init(
            _ url: String,
            timeout: Duration,
            isReadOnly: Bool = false,
            isInterrupted: (() -> Bool)? = nil
        ) throws(ArchiveError) {
            (self.timeout, self.isReadOnly) = (timeout, isReadOnly)
            self.isInterrupted = isInterrupted
            address = url
            guard let connection = Self.start(url) else { throw ArchiveError(.unreachable, "libpq has no memory.") }
            self.connection = connection
            hindsight_ignore_notices(connection)
            // Errors then have their SQLSTATE also where no result is.
            _ = PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
            try finishConnecting()
            guard PQserverVersion(connection) >= Self.oldestServer else {
                let version = PQserverVersion(connection)
                throw ArchiveError(
                    .tooOld,
                    "The server is PostgreSQL \(version / 10_000); an archive needs \(Self.oldestServer / 10_000) or later."
                )
            }
            _ = PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
            guard PQsetnonblocking(connection, 1) == 0 else { throw failure() }
            // A pooler gives a number of its own.
            isPooled = try run("SELECT pg_catalog.pg_backend_pid()")[0].integer(0) != Int64(PQbackendPID(connection))
            if isPooled { return }
            // What waits for another session's lock must see what that session did, whatever the database's default is. The
            // last ends a statement within a second after its client has gone, if the server's platform can look for that.
            try runScript(
                """
                \(settings("SESSION")); SET default_transaction_isolation = 'read committed';
                \(isReadOnly ? "SET default_transaction_read_only = on;" : "")
                DO $$ BEGIN SET client_connection_check_interval = '1s'; EXCEPTION WHEN OTHERS THEN NULL; END $$
                """
            )
        }

        /// Sets what parsing answers needs, and what keeps the names of others out of statements: for the session or, with
        /// the scope `LOCAL`, for the transaction.
        func settings(_ scope: String) -> String {
            """
            SET \(scope) TIME ZONE 'UTC'; SET \(scope) DateStyle = 'ISO'; SET \(scope) bytea_output = 'hex';
            SET \(scope) search_path = pg_catalog, pg_temp
            """
        }

        deinit { PQfinish(connection) }

        private static func start(_ url: String) -> OpaquePointer? {
            let settings = [
                ("dbname", url), ("fallback_application_name", "hindsight"), ("client_encoding", "UTF8"),
            ].filter { !$0.1.isEmpty }
            let names = settings.map { strdup($0.0) }
            let values = settings.map { strdup($0.1) }
            defer { for text in names + values { free(text) } }
            var keywords = names.map { UnsafePointer($0) } + [nil]
            var texts = values.map { UnsafePointer($0) } + [nil]
            return PQconnectStartParams(&keywords, &texts, 1)
        }

        private func finishConnecting() throws(ArchiveError) {
            let begun = ContinuousClock.now
            var wanted = PGRES_POLLING_WRITING
            while true {
                if PQstatus(connection) == CONNECTION_BAD { throw connectingFailure() }
                switch wanted {
                case PGRES_POLLING_OK: return
                case PGRES_POLLING_FAILED: throw connectingFailure()
                case PGRES_POLLING_READING: try wait(for: Int16(POLLIN), since: begun)
                default: try wait(for: Int16(POLLOUT), since: begun)
                }
                wanted = PQconnectPoll(connection)
            }
        }

        /// Whether the connection can still be used.
        package var isOpen: Bool { !isAbandoned && PQstatus(connection) == CONNECTION_OK }
        private var isAbandoned = false

        /// The user, the host and the database, for messages. It has no password.
        package var name: String {
            let (user, host, database) = (PQuser(connection), PQhost(connection), PQdb(connection))
            let texts = [user, host, database].map { $0.map { String(cString: $0) } ?? "" }
            return "\(texts[0])@\(texts[1])/\(texts[2])"
        }

        /// Asks the server to cancel the statement that runs. Waits for a second at most: a server that hangs does not answer.
        private func cancel() {
            guard let request = PQgetCancel(connection).map(CancelRequest.init) else { return }
            let done = DispatchSemaphore(value: 0)
            try? BackgroundThread.start {
                request.send()
                done.signal()
            }
            _ = done.wait(timeout: .now() + 1)
        }

        /// What libpq needs to cancel a statement, also on another thread.
        private final class CancelRequest: @unchecked Sendable {
            private let pointer: OpaquePointer

            init(_ pointer: OpaquePointer) { self.pointer = pointer }

            deinit { PQfreeCancel(pointer) }

            func send() {
                var text = [CChar](repeating: 0, count: 256)
                _ = PQcancel(pointer, &text, 256)
            }
        }

        // MARK: Statements

        /// Runs one statement, and returns its rows.
        ///
        /// The server sends values in its binary forms. So columns must be whole numbers, texts, bytes, times, booleans
        /// or JSON.
        @discardableResult
        package func run(_ sql: String, _ parameters: [ArchiveValue] = []) throws(ArchiveError) -> ArchiveRows {
            if needsTransaction {
                do {
                    return try transaction { try run(sql, parameters) }
                } catch {
                    throw error as? ArchiveError ?? failure()
                }
            }
            try send(sql, parameters, isBinary: true)
            return try finish()
        }

        /// Whether the next statement needs a transaction of its own: settings of a session behind a pooler would reach
        /// others, and be missing in the next session.
        private var needsTransaction: Bool { isPooled && PQtransactionStatus(connection) == PQTRANS_IDLE }

        /// Runs one statement, which returns no rows, with each of several lists of parameters. Outside of a transaction,
        /// each is one of its own: if the connection stalls, no lock stays.
        ///
        /// The next ones are on their way while the server works, so a server far away costs one wait and not one a list. A
        /// pooler gets them one by one, since some stall if more than one transaction is under way.
        func run(_ sql: String, withEach lists: [[ArchiveValue]]) throws(ArchiveError) {
            if isPooled {
                for list in lists { try run(sql, list) }
                return
            }
            guard let types = lists.first?.map({ EncodedValue($0).type }) else { return }
            guard PQenterPipelineMode(connection) == 1 else { throw failure() }
            // The statement without a name is the last that was prepared, and needs no end.
            guard PQsendPrepare(connection, "", sql, Int32(types.count), types) == 1 else { throw failure() }
            for list in lists {
                try send(list) { count, _, values, sizes, forms in
                    PQsendQueryPrepared(connection, "", count, values, sizes, forms, 0)
                }
                guard PQpipelineSync(connection) == 1 else { throw failure() }
                try flush()
            }
            var failed: ArchiveError?
            func finish() throws(ArchiveError) {
                do throws(ArchiveError) { _ = try self.finish() } catch {
                    // What is sent after a lost connection has no answers.
                    if !isOpen { throw error }
                    failed = failed ?? error
                }
            }
            // The answer to the preparation.
            try finish()
            for _ in lists {
                try finish()
                // The answer to the end of the transaction.
                _ = try next()
            }
            guard PQexitPipelineMode(connection) == 1 else { throw failure() }
            if let failed { throw failed }
        }

        /// Runs several statements, which have no parameters.
        func runScript(_ sql: String) throws(ArchiveError) {
            guard PQsendQuery(connection, sql) == 1 else { throw failure() }
            _ = try finish()
        }

        /// Runs one statement, and passes on its rows one by one, so that only one is in memory.
        ///
        /// - Parameters:
        ///   - isBinary: Whether the server sends values as for ``run(_:_:)``, and not each as its text.
        ///   - begin: Called before the first row, and if there is none, with the names of the columns.
        package func each(
            _ sql: String,
            _ parameters: [ArchiveValue] = [],
            isBinary: Bool = true,
            begin: (_ columns: [String]) throws -> Void = { _ in },
            _ body: (ArchiveRow) throws -> Void
        ) throws {
            if needsTransaction {
                return try transaction { try each(sql, parameters, isBinary: isBinary, begin: begin, body) }
            }
            try send(sql, parameters, isBinary: isBinary)
            guard PQsetSingleRowMode(connection) == 1 else { throw failure() }
            var thrown: (any Error)?
            var hasBegun = false
            while let rows = try next() {
                if thrown != nil { continue }
                do {
                    try check(rows)
                } catch {
                    // The statement has ended: a late request to cancel it could reach the next one.
                    thrown = error
                    continue
                }
                do {
                    if !hasBegun { try begin(rows.columns) }
                    hasBegun = true
                    for row in rows { try body(row) }
                } catch {
                    thrown = error
                    // The rest is not wanted.
                    if isOpen { cancel() }
                }
            }
            if let thrown { throw thrown }
        }

        // MARK: Waiting

        private func send(_ sql: String, _ parameters: [ArchiveValue], isBinary: Bool) throws(ArchiveError) {
            try send(parameters) { count, types, values, sizes, forms in
                PQsendQueryParams(connection, sql, count, types, values, sizes, forms, isBinary ? 1 : 0)
            }
        }

        /// Passes parameters to a function of libpq as it takes them.
        private func send(
            _ parameters: [ArchiveValue],
            by call: (
                _ count: Int32, _ types: [Oid], _ values: [UnsafePointer<CChar>?], _ sizes: [Int32], _ forms: [Int32]
            ) -> Int32
        ) throws(ArchiveError) {
            let values = parameters.map(EncodedValue.init)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(values.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
            let offsets = values.map { value in
                defer { bytes += value.bytes ?? [] }
                return bytes.count
            }
            // A place for values without bytes.
            bytes.append(0)
            let result = bytes.withUnsafeBytes { all in
                let base = all.baseAddress?.assumingMemoryBound(to: CChar.self)
                let pointers = zip(values, offsets).map { value, offset in
                    value.bytes == nil ? nil : base.map { $0 + offset }
                }
                return call(
                    Int32(values.count),
                    values.map(\.type),
                    pointers,
                    values.map { Int32($0.bytes?.count ?? 0) },
                    values.map { $0.isBinary ? 1 : 0 }
                )
            }
            guard result == 1 else { throw failure() }
        }

        /// The next result of the statement; `nil` after the last.
        private func next() throws(ArchiveError) -> ArchiveRows? {
            try flush()
            while PQisBusy(connection) != 0 {
                try wait(for: Int16(POLLIN))
                guard PQconsumeInput(connection) == 1 else { throw failure() }
            }
            guard let rows = PQgetResult(connection).map(ArchiveRows.init) else { return nil }
            switch PQresultStatus(rows.result) {
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                // No statement of an archive begins one. The connection would not leave it.
                abandon()
                throw ArchiveError(.server(sqlstate: "0A000"), "COPY to the client is not possible here.")
            default: return rows
            }
        }

        /// Reads the results to the last, and returns it.
        private func finish() throws(ArchiveError) -> ArchiveRows {
            var (last, failed) = (nil as ArchiveRows?, nil as ArchiveError?)
            while let rows = try next() {
                do throws(ArchiveError) { try check(rows) } catch { failed = failed ?? error }
                last = rows
            }
            if let failed { throw failed }
            guard let last else { throw failure() }
            return last
        }

        private func flush() throws(ArchiveError) {
            while true {
                let result = PQflush(connection)
                if result == 0 { return }
                if result < 0 { throw failure() }
                let ready = try wait(for: Int16(POLLIN | POLLOUT))
                if ready & Int16(POLLIN) != 0, PQconsumeInput(connection) != 1 { throw failure() }
            }
        }

        /// - Parameter begun: When the server began to be silent.
        @discardableResult
        private func wait(
            for events: Int16,
            since begun: ContinuousClock.Instant = .now
        ) throws(ArchiveError) -> Int16 {
            let deadline = begun + timeout
            while true {
                if isInterrupted?() == true {
                    if isOpen { cancel() }
                    abandon()
                    throw ArchiveError(.interrupted, "Interrupted.")
                }
                if ContinuousClock.now >= deadline {
                    abandon()
                    throw ArchiveError(.stalled, "The server did not answer in time.")
                }
                var descriptor = pollfd(fd: PQsocket(connection), events: events, revents: 0)
                let result = poll(&descriptor, 1, 200)
                if result > 0 { return descriptor.revents }
                if result < 0, errno != EINTR { throw ArchiveError(.dropped, SystemError.last.description) }
            }
        }

        /// Ends the connection at once, without a word to the server: it may not listen.
        func abandon() {
            isAbandoned = true
            let descriptor = PQsocket(connection)
            if descriptor >= 0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }

        // MARK: Failures

        private func check(_ rows: ArchiveRows) throws(ArchiveError) {
            switch PQresultStatus(rows.result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE: return
            default: throw isOpen ? ArchiveError(rows) : failure()
            }
        }

        /// The failure of the last call of libpq.
        func failure() -> ArchiveError {
            let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
            if !isOpen { return ArchiveError(.dropped, "The connection to the server ended. \(text)") }
            return ArchiveError(.server(sqlstate: ""), text)
        }

        private func connectingFailure() -> ArchiveError {
            var text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
            if !address.isEmpty {
                text = text.replacingOccurrences(of: address, with: Self.withoutPassword(address))
            }
            // Of an escape that is none, libpq names the value alone.
            for password in Self.passwords(in: address) where password.contains("%") {
                text = text.replacingOccurrences(of: "\"\(password)\"", with: "\"…\"")
            }
            return ArchiveError(connecting: text)
        }
    }
#endif
