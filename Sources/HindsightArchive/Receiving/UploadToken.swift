#if Archive
    import HindsightSupport
    import HindsightTree

    /// A right to send recordings of an app, or of one installation of it.
    package struct UploadToken: Answer {
        package let number: Int
        package let app: String
        /// `nil` for any installation of the app.
        @Nullable package var installation: String?
        /// When it was made, in UTC: `2026-11-22 22:41`. Only a list of tokens has it.
        package var made: String?
    }

    extension ArchiveConnection {
        /// Makes a token, and returns its text. The archive keeps its hash alone.
        package func addToken(app: String, installation: String?) throws(ArchiveError) -> String {
            let text = randomHex(bytes: 32)
            try run(
                "INSERT INTO hindsight.token (hash, app, installation) VALUES ($1, $2, $3)",
                [.bytes(SHA256.digest(of: Array(text.utf8))), .text(app), .optional(installation)]
            )
            return text
        }

        /// Checks that the role may receive.
        package func checkReceiving() throws(ArchiveError) { _ = try token("") }

        /// The token with a text; `nil` if there is none.
        package func token(_ text: String) throws(ArchiveError) -> UploadToken? {
            let row = try run(
                "SELECT number, app, installation FROM hindsight.find_token($1)",
                [.bytes(SHA256.digest(of: Array(text.utf8)))]
            )[0]
            if row.isNull(0) { return nil }
            return UploadToken(number: Int(row.integer(0)), app: row.text(1), installation: row.optionalText(2))
        }

        /// All tokens that the role sees, in the order in which they were made.
        package func tokens() throws -> [UploadToken] {
            let made = "to_char(made, 'YYYY-MM-DD HH24:MI') AS made"
            return try all("SELECT number, app, installation, \(made) FROM hindsight.token ORDER BY number")
        }

        /// Removes a token, and what is on its way with it. Returns whether there was one.
        package func removeToken(_ number: Int) throws(ArchiveError) -> Bool {
            try run("DELETE FROM hindsight.token WHERE number = $1 RETURNING true", [.number(number)]).count > 0
        }

        /// Removes the tokens of the installations that a filter names as devices.
        package func removeTokens(of filter: ArchiveFilter) throws(ArchiveError) {
            try run(
                "DELETE FROM hindsight.token WHERE installation LIKE $1 AND app LIKE $2",
                [filter.device ?? "", filter.app ?? "*"].map { .text(ArchiveFilter.pattern($0)) }
            )
        }
    }
#endif
