import HindsightFormat
import HindsightRecording
import HindsightSupport

/// Answers the requests of a page that follows a recording while an app makes it.
///
/// The address has a random token, and the name of the server must be that of this machine. Other sites therefore
/// neither find the page nor read it, even if a name of theirs resolves to this machine. Only reading is possible.
package struct LiveSource {
    package struct Reply: Sendable {
        package var status: Int
        package var type = "text/plain; charset=utf-8"
        package var headers: [(name: String, value: String)] = []
        package var body = ""

        /// The headers, with those of all replies.
        package var allHeaders: [(name: String, value: String)] {
            headers + [
                ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
                ("Cross-Origin-Opener-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
            ]
        }
    }

    /// The name and the port under which the page is served: `127.0.0.1:8080`.
    package let host: String
    package let token: String
    /// Prepares the page of a recording.
    package var prepare: (inout RecordingPage) -> Void = { _ in }
    private let open: () throws -> Recording

    /// A reply has about this many bytes of rows, and at least one row.
    private static let maxBytes = 4 << 20
    private static let maxRows = 20_000

    /// - Parameter open: Opens the recording, for each request anew: another run may have taken its place.
    package init(host: String, token: String, open: @escaping () throws -> Recording) {
        (self.host, self.token, self.open) = (host, token, open)
    }

    package var address: String { "http://\(host)/\(token)/" }

    package func reply(to request: HTTPRequest) -> Reply {
        guard request.host == host, request.origin.map({ $0 == "http://" + host }) ?? true else {
            return Reply(status: 403, body: "The request is for another server.\n")
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            return Reply(status: 405, headers: [("Allow", "GET, HEAD")], body: "Only reading is possible.\n")
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, isToken(parts[1]) else { return Self.nothing }
        do {
            switch parts[2] {
            case "": return try page()
            case "head": return try head()
            case "rows": return try rows(after: request.after.flatMap { Int($0) } ?? 0)
            default: return Self.nothing
            }
        } catch {
            // A browser that shows this text asks again, as the page does: the recording may be about to begin.
            return Reply(status: 503, headers: [("Refresh", "3")], body: escape("\(error)") + "\n")
        }
    }

    private static let nothing = Reply(status: 404, body: "There is nothing here.\n")

    /// Takes the same time for all texts of the token's length.
    private func isToken(_ text: Substring) -> Bool {
        let (given, wanted) = (Array(text.utf8), Array(token.utf8))
        guard given.count == wanted.count else { return false }
        return zip(given, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func page() throws -> Reply {
        var page = try RecordingPage(of: recording())
        prepare(&page)
        page.isLive = true
        var reply = Reply(status: 200, type: "text/html; charset=utf-8")
        try page.write { reply.body += $0 }
        return reply
    }

    /// The recording, once it has begun: a page takes its initial state with the first line, and never again.
    private func recording() throws -> Recording {
        let recording = try open()
        guard recording.isEmpty else { return recording }
        let reason = recording.isLive ? RecordingError.isBeginning : "no store was attached to its recorder"
        throw RecordingError(.empty, file: recording.url.path, reason: reason)
    }

    /// The text's first line, which says how the recording ended once it has.
    private func head() throws -> Reply {
        let recording = try recording()
        var reply = Reply(status: 200, type: "application/jsonl", headers: Self.headers(of: recording))
        try recording.writeText(of: TextPart(lines: .header)) { reply.body += $0 }
        return reply
    }

    /// What tells a page that another run has taken the place, or that the first line has changed.
    private static func headers(of recording: Recording) -> [(name: String, value: String)] {
        [("Hindsight-Run", String(recording.createdNanoseconds)), ("Hindsight-Ending", recording.ending.word)]
    }

    /// The notes at an action, which may have come later than its row; and the rows of the text after it, without those
    /// whose changes are not in the file yet. With the last doubtful states that begin up to it: a page that has a row of
    /// them without this mark must begin again.
    private func rows(after seq: Int) throws -> Reply {
        let recording = try recording()
        let last = min(recording.lastFinal, RecordingPosition.lastPossibleAction)
        // A number from a request may be any.
        let first = min(max(seq, recording.start.seq), last) + 1
        var reply = Reply(status: 200, type: "application/jsonl", headers: Self.headers(of: recording))
        if max(0, seq) < recording.start.seq { reply.headers.append(("Hindsight-Gap", "1")) }
        // The recorder finds doubtful states after it has written them.
        if let states = recording.doubtful.last(where: { $0.actions.lowerBound <= seq }) {
            reply.headers.append(("Hindsight-Doubt", "\(states.actions.lowerBound)-\(states.actions.upperBound)"))
        }
        var written = first - 1
        try recording.writeText(of: TextPart(range: written...written, lines: .notes)) { reply.body += $0 }
        while written < last, reply.body.utf8.count < Self.maxBytes, written - first < Self.maxRows {
            let next = written + 1...min(last, written + 500)
            try recording.writeText(of: TextPart(range: next, lines: .rows)) { reply.body += $0 }
            written = next.upperBound
        }
        if written < last { reply.headers.append(("Hindsight-More", "1")) }
        if !recording.isLive, written >= last { reply.headers.append(("Hindsight-Over", "1")) }
        return reply
    }
}

extension Recording.Ending {
    /// A word for how a recording ended: `live` if it has not.
    var word: String {
        switch self {
        case .closed: "closed"
        case .open(live: true): "live"
        case .open(live: false): "open"
        case .crashed(let seq, let reducer): "crashed \(Recording.Position(seq: seq, reducer: reducer))"
        }
    }
}
