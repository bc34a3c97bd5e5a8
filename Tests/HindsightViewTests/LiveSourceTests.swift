import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSQLite
import HindsightSupport
import TestSupport
import Testing

@testable import HindsightView

/// What a live page's server answers, without a server.
@Suite struct LiveSourceTests {
    private let host = "127.0.0.1:4321"
    private let token = "0123456789abcdef0123456789abcdef"

    private func source(_ name: String = "todo") -> LiveSource {
        LiveSource(host: host, token: token) { try Fixtures.open(name) }
    }

    private func ask(_ source: LiveSource, _ path: String, after: String? = nil) -> LiveSource.Reply {
        source.reply(to: HTTPRequest("GET", "/\(token)/\(path)", after: after, host: host))
    }

    @Test func `The page has only the first line, and may ask its own server`() throws {
        let reply = ask(source(), "")
        #expect(reply.status == 200 && reply.type.hasPrefix("text/html"))
        var page = try RecordingPage(of: Fixtures.open("todo"))
        page.isLive = true
        let made = try MadePage(page)
        #expect(made.policy["connect-src"] == ["'self'"])
        let live = try #require(made.about()["live"] as? [String: Any])
        #expect(live["rows"] as? String == "rows")
        let served = MadePage(html: reply.body)
        #expect(served.policy == made.policy)
        #expect(try #require(try served.about()["live"] as? [String: Any])["rows"] as? String == "rows")
        let plain = try MadePage(RecordingPage(of: Fixtures.open("todo")))
        #expect(try plain.about()["live"] is NSNull && plain.policy["connect-src"] == nil)
        let bytes = made.script(id: "recording")?.tag.split(separator: "\"").dropLast().last.flatMap { Int($0) }
        let text = try Fixtures.open("todo").text()
        #expect(bytes == text.prefix { $0 != "\n" }.utf8.count + 1)
    }

    @Test(arguments: Fixtures.names)
    func `The rows after an action are those of the recording's text`(name: String) throws {
        let recording = try Fixtures.open(name)
        let lines = try recording.text().split(separator: "\n").dropFirst().dropLast()
        let first = recording.start.seq
        // The last dropped action stands before the rows.
        let rows = lines.filter { !$0.contains(#""dropped":true"#) }
        let whole = ask(source(name), "rows", after: "\(first)")
        #expect(whole.status == 200)
        #expect(whole.body == rows.map { $0 + "\n" }.joined(), "\(name)")
        #expect(whole.headers.contains { $0 == ("Hindsight-Over", "1") })
        #expect(!whole.headers.contains { $0.name == "Hindsight-More" || $0.name == "Hindsight-Gap" })
        let half = first + (recording.actionCount - first) / 2
        let rest = ask(source(name), "rows", after: "\(half)").body.split(separator: "\n")
        let count = rest.count { $0.hasPrefix(#"{"action""#) }
        #expect(count == recording.actionCount - half, "\(name)")
        #expect(rest.elementsEqual(rows.suffix(rest.count)), "\(name)")
    }

    @Test(arguments: Fixtures.names)
    func `The first line is that of the recording's text, and comes with the recording's ending`(name: String) throws {
        let reply = ask(source(name), "head")
        #expect(reply.status == 200)
        let recording = try Fixtures.open(name)
        #expect(reply.body == (try recording.text().prefix { $0 != "\n" } + "\n"), "\(name)")
        let rows = ask(source(name), "rows", after: "0")
        for header in ["Hindsight-Run", "Hindsight-Ending"] {
            let values = [reply, rows].map { $0.headers.first { $0.name == header }?.value }
            #expect(values[0] != nil && values[0] == values[1], "\(name) \(header)")
        }
        var page = try RecordingPage(of: recording)
        page.isLive = true
        let live = try #require(try MadePage(page).about()["live"] as? [String: Any])
        #expect(live["ending"] as? String == reply.headers.first { $0.name == "Hindsight-Ending" }?.value)
        #expect(live["head"] as? String == "head")
    }

    @Test(arguments: Fixtures.names)
    func `The notes at an action come again with the rows after it`(name: String) throws {
        let recording = try Fixtures.open(name)
        for note in try recording.notes() {
            let body = ask(source(name), "rows", after: "\(note.position.seq)").body
            let lines = body.split(separator: "\n").prefix { $0.hasPrefix(#"{"note""#) }
            let count = try recording.notes().count { $0.position.seq == note.position.seq }
            #expect(lines.count == count, "\(name) \(note.position)")
        }
    }

    @Test func `A page that has everything gets no rows, and one that missed dropped rows is told`() throws {
        #expect(ask(source(), "rows", after: "67").body == "")
        #expect(ask(source(), "rows", after: "99999").body == "")
        #expect(ask(source(), "rows", after: "9223372036854775807").body == "")
        let limited = LiveSource(host: host, token: token) { try Fixtures.openLimited() }
        for after in [0, 39, 40, 50] {
            let reply = ask(limited, "rows", after: "\(after)")
            #expect(reply.headers.contains { $0.name == "Hindsight-Gap" } == (after < 40))
        }
        #expect(ask(source(), "rows", after: "nonsense").status == 200)
        #expect(ask(source(), "rows", after: "-5").status == 200)
    }

    @Test func `Other names of the server, other origins, other methods and other addresses are refused`() {
        let path = "/\(token)/"
        let requests: [(HTTPRequest, Int)] = [
            (HTTPRequest("GET", path, host: host), 200),
            (HTTPRequest("GET", path, host: host, origin: "http://" + host), 200),
            (HTTPRequest("HEAD", path, host: host), 200),
            (HTTPRequest("GET", path, host: nil), 403),
            (HTTPRequest("GET", path, host: "evil.example"), 403),
            (HTTPRequest("GET", path, host: "evil.example:4321"), 403),
            (HTTPRequest("GET", path, host: "127.0.0.1:4322"), 403),
            (HTTPRequest("GET", path, host: host, origin: "http://evil.example"), 403),
            (HTTPRequest("GET", path, host: host, origin: "null"), 403),
            (HTTPRequest("GET", path, host: host, origin: "https://" + host), 403),
            (HTTPRequest("POST", path, host: host), 405),
            (HTTPRequest("DELETE", path, host: host), 405),
            (HTTPRequest("GET", "/", host: host), 404),
            (HTTPRequest("GET", "/\(token)", host: host), 404),
            (HTTPRequest("GET", "/\(token)x/", host: host), 404),
            (HTTPRequest("GET", "/\(token.dropLast())0/", host: host), 404),
            (HTTPRequest("GET", "/\(token)/../", host: host), 404),
            (HTTPRequest("GET", "//\(token)/", host: host), 404),
            (HTTPRequest("GET", "/\(token)/other", host: host), 404),
        ]
        for (request, status) in requests {
            let reply = source().reply(to: request)
            #expect(reply.status == status, "\(request)")
            if status != 200 { #expect(!reply.body.contains("todo"), "\(request)") }
            let names = Set(reply.allHeaders.map(\.name))
            #expect(names.isSuperset(of: ["Cache-Control", "X-Content-Type-Options", "X-Frame-Options"]))
        }
    }

    @Test func `A recording that cannot be read is an answer`() {
        let source = LiveSource(host: host, token: token) {
            try Recording(at: Fixtures.recording("damaged/empty"))
        }
        #expect(ask(source, "").status == 503)
        #expect(ask(source, "rows").status == 503)
    }

    /// A recording as it was at a moment while it was made: a copy with changes in its tables.
    private func copy(of name: String, at file: URL, _ sql: String) throws {
        try FileManager.default.copyItem(at: Fixtures.recording(name), to: file)
        try Connection(file.path, .readWrite).execute("DELETE FROM recording WHERE key = 'closed'; \(sql)")
    }

    @Test func `A recording without a first state has not begun`() throws {
        let scratch = Scratch()
        try copy(of: "todo", at: scratch.file(), "DELETE FROM action; DELETE FROM keyframe; DELETE FROM note")
        let source = LiveSource(host: host, token: token) { try Recording(at: scratch.file()) }
        for path in ["", "head", "rows"] {
            let reply = ask(source, path)
            #expect(reply.status == 503 && reply.body.contains("no store was attached"), "\(path) \(reply.body)")
            #expect(reply.headers.contains { $0 == ("Refresh", "3") }, "\(path)")
        }
    }

    @Test func `The last action whose state was left out comes with the state after it`() throws {
        let scratch = Scratch()
        // The recorder left out the states of the actions 45 to 49. It writes the one after them last.
        for (last, states) in [(48, "seq >= 49"), (49, "seq > 49")] {
            let file = scratch.file("\(last).hindsight")
            let sql = "DELETE FROM action WHERE seq > 49; DELETE FROM keyframe WHERE \(states)"
            try copy(of: "partial", at: file, sql)
            let journal = try JournalFile(for: file.path)
            let reply = ask(LiveSource(host: host, token: token) { try Recording(at: file) }, "rows", after: "43")
            let rows = reply.body.split(separator: "\n")
            #expect(rows.count { $0.hasPrefix(#"{"action""#) } == last - 43, "\(reply.body)")
            #expect(rows.contains { $0.hasPrefix(#"{"state""#) } == (last == 49))
            #expect(reply.headers.contains { $0 == ("Hindsight-Ending", "live") })
            let isInPlace = journal.isInPlace
            #expect(isInPlace)
        }
    }

    @Test func `A page is told of doubtful states up to its last action`() {
        for (name, after, range) in [
            ("doubtful", 35, nil), ("doubtful", 36, "36-45"), ("doubtful", 67, "36-45"), ("todo", 67, nil),
        ] {
            let header = ask(source(name), "rows", after: "\(after)").headers.first { $0.name == "Hindsight-Doubt" }
            #expect(header?.value == range, "\(name) \(after)")
        }
    }

    @Test func `A word tells a page that the recording has ended`() {
        #expect(Recording.Ending.open(live: true).word == "live")
        #expect(Recording.Ending.open(live: false).word == "open")
        #expect(Recording.Ending.closed.word == "closed")
        #expect(Recording.Ending.crashed(seq: 4, reducer: 2).word == "crashed 4.2")
    }

    @Test func `Tokens are long and differ`() {
        let tokens = Set((0..<100).map { _ in randomHex(bytes: 16) })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}
