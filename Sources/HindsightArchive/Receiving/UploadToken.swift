#if Archive
    import HindsightSupport

    /// A right to send recordings of an app, or of one installation of it.
    package struct UploadToken: Sendable {
        package let number: Int
        package let app: String
        /// `nil` for any installation of the app.
        package let installation: String?

        /// The first columns of a row.
        init(_ row: ArchiveRow) {
            (number, app, installation) = (Int(row.integer(0)), row.text(1), row.optionalText(2))
        }
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
            return row.isNull(0) ? nil : UploadToken(row)
        }

        /// All tokens that the role sees, in the order in which they were made, with the time of that in UTC:
        /// `2026-11-22 22:41`.
        package func tokens() throws(ArchiveError) -> [(token: UploadToken, made: String)] {
            try run(
                "SELECT number, app, installation, to_char(made, 'YYYY-MM-DD HH24:MI') FROM hindsight.token ORDER BY number"
            ).map { (UploadToken($0), $0.text(3)) }
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
