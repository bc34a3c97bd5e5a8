import Foundation
import HindsightRecording
import HindsightSQLite
import HindsightSupport
import HindsightTree
import TestSupport
import Testing

@testable import HindsightView

@Suite struct RecordingPageTests {
    /// Python reads the element as a browser does, and prints the text.
    private static let reader = """
        import base64, re, sys, zlib
        html = open(sys.argv[1], encoding="utf-8", newline="").read()
        element = re.search(r'<script id="recording" type="text/plain" data-encoding="(\\w+)" data-bytes="(\\d+)">([^<]*)</script>', html)
        data = base64.b64decode(element[3], validate=True)
        text = zlib.decompress(data) if element[1] == "deflate" else data
        assert len(text) == int(element[2]), (len(text), element[2])
        print(element[1])
        sys.stdout.write(text.decode())
        """
    private static let hasPython = Python.has("zlib")

    @Test(.enabled(if: hasPython, "needs python3"), arguments: Fixtures.names, [true, false])
    func `The page has the recording's text`(name: String, deflates: Bool) throws {
        let recording = try Fixtures.open(name)
        var page = try RecordingPage(of: recording)
        page.deflates = deflates
        let read = try Python.run(Self.reader, input: MadePage(page).html)
        let isDeflated = deflates && Deflater() != nil
        #expect(try read == (isDeflated ? "deflate\n" : "none\n") + recording.text())
    }

    #if os(Linux)
        @Test func `The temporary files of texts are closed`() throws {
            for _ in 0..<64 { try EmbeddedText().finish() }
            let places = ForkedProcess.descriptors().compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            let open = places.count { FileSystem.name(of: $0).hasPrefix("hindsight-") && $0.hasSuffix(" (deleted)") }
            // Other threads may be writing pages.
            #expect(open < 64)
        }

        @Test func `zlib is found where it is installed`() {
            let isInstalled = ["x86_64", "aarch64"].contains {
                FileManager.default.fileExists(atPath: "/lib/\($0)-linux-gnu/libz.so.1")
            }
            if isInstalled { #expect(Deflater() != nil) }
        }
    #endif

    @Test(.enabled(if: hasPython, "needs python3"))
    func `A part has the text of the part, and the numbers of the recording`() throws {
        let recording = try Fixtures.open("checkout")
        let page = try RecordingPage(
            of: recording,
            from: Recording.Position(seq: 12, reducer: 3),
            to: recording.position("40"),
            path: NodePath(["cart", "totals"])
        )
        #expect(page.range == 11...40)
        let made = try MadePage(page)
        var expected = ""
        let part = TextPart(range: 11...40, path: NodePath(["cart", "totals"]))
        try recording.writeText(of: part) { expected += $0 }
        #expect(try Python.run(Self.reader, input: made.html).hasSuffix("\n" + expected))
        let about = try made.about()
        #expect(about["first"] as? Int == 11)
        let arguments = try #require(about["arguments"] as? [String: Any])
        #expect(arguments["from"] as? Int == 11 && arguments["to"] as? Int == 40)
        #expect(arguments["path"] as? String == "/cart/totals")
    }

    @Test func `The page says what it is`() throws {
        var page = try RecordingPage(of: Fixtures.open("todo"))
        (page.tool, page.command, page.made) = ("tool 1.0", "tool", 1_700_000_000_123_456_789)
        let made = try MadePage(page)
        let about = try made.about()
        #expect(about["file"] as? String == "todo.hindsight")
        #expect(about["made"] as? String == "2023-11-14T22:13:20.123Z")
        #expect(about["tool"] as? String == "tool 1.0" && about["command"] as? String == "tool")
        #expect(about["first"] as? Int == 0)
        #expect(about["live"] is NSNull)
        let arguments = try #require(about["arguments"] as? [String: Any])
        #expect(arguments.count == 3 && arguments.values.allSatisfy { $0 is NSNull })
        #expect(try made.html == MadePage(page).html, "The same page has the same bytes.")
    }

    @Test func `The page has computed steps of the action in which the process ended, if it has that action`() throws {
        let recording = try Fixtures.open("crashed/checkout-crash")
        let applied = NodePath(["coupons", "applied"])
        let steps = (1...6).map { reducer in
            let patch = reducer == 5 ? Patch([.add(path: applied, value: "TEN", at: nil)]) : nil
            return RecordedStep(reducer: reducer, durationInNanoseconds: 0, patch: patch)
        }
        func page(
            _ first: Int?,
            _ last: Int?,
            _ path: NodePath,
            _ steps: [RecordedStep]
        ) throws -> (computed: Int?, action: [String: Any]) {
            var page = try RecordingPage(
                of: recording,
                from: first.map { Recording.Position(seq: $0) },
                to: last.map { Recording.Position(seq: $0) },
                path: path
            )
            page.deflates = false
            page.computedSteps = steps
            let made = try MadePage(page)
            let text = try #require(made.script(id: "recording").flatMap { Data(base64Encoded: $0.text) })
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
            let line = try #require(lines.last { $0.hasPrefix("{\"action\"") })
            let action = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (try made.about()["computed"] as? Int, try #require(action))
        }
        for (first, path) in [(nil, NodePath()), (9, NodePath()), (nil, NodePath(["coupons"]))] {
            let (computed, action) = try page(first, nil, path, steps)
            #expect(computed == 12, "\(path)")
            #expect(action["duration"] == nil && action["times"] as? [Int] == [0, 0, 0, 0, 0, 0], "\(action)")
            let changes = try #require(action["changes"] as? [String: [[String: Any]]])
            #expect(Array(changes.keys) == ["coupons"])
            #expect(changes["coupons"]?.first?["value"] as? String == "TEN")
        }
        let outside = try page(nil, nil, NodePath(["cart"]), steps)
        #expect(outside.computed == 12 && outside.action["outside"] as? Int == 1, "\(outside.action)")
        for (last, steps) in [(11, steps), (nil, [])] {
            let (computed, action) = try page(nil, last, NodePath(), steps)
            #expect(computed == nil && (action["times"] as? [Int])?.count == (last == nil ? nil : 9), "\(action)")
        }
    }

    @Test func `A recording that dropped actions has the number of its first state`() throws {
        let recording = try Fixtures.openLimited()
        #expect(recording.start.seq == 40 && recording.actionCount == 67)
        let page = try RecordingPage(of: recording)
        #expect(page.range == 40...67)
        #expect(try MadePage(page).about()["first"] as? Int == 40)
    }

    // MARK: What the page may do

    @Test(.enabled(if: hasPython, "needs python3"))
    func `Only the page's own script and style are allowed, by their hashes`() throws {
        let made = try MadePage(RecordingPage(of: Fixtures.open("checkout")))
        let (scripts, styles) = (made.scripts, made.elements("style"))
        #expect(scripts.map(\.text) == [PageFiles.script.text] && styles.count == 1)
        #expect(scripts.allSatisfy { $0.tag == "<script>" } && styles[0].tag == "<style>")
        let script = """
            import base64, hashlib, json, sys
            for text in json.load(open(sys.argv[1])):
                print("'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'")
            """
        let texts = try JSONEncoder().encode(scripts.map(\.text) + [styles[0].text])
        let hashes = try Python.run(script, input: String(decoding: texts, as: UTF8.self)).split(separator: "\n")
            .map(String.init)
        let policy = made.policy
        #expect(policy["script-src"] == Set(hashes.dropLast()))
        #expect(policy["style-src"] == Set(hashes.suffix(1)))
        for directive in ["default-src", "base-uri", "form-action"] { #expect(policy[directive] == ["'none'"]) }
        #expect(policy["img-src"] == ["data:"])
        #expect(policy["connect-src"] == nil)
        #expect(policy["require-trusted-types-for"] == ["'script'"])
        #expect(!policy.values.joined().contains { $0.contains("unsafe") || $0.contains("http") || $0 == "*" })
    }

    @Test func `The template has each marker once, and nothing that the policy forbids`() throws {
        for marker in PageTemplate.Marker.allCases {
            let count = PageFiles.template.pieces.count { $0 == .marker(marker) }
            #expect(count == 1, "\(marker.rawValue) stands \(count) times in page.html")
        }
        let html = PageFiles.template.pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
        for marker in PageTemplate.Marker.allCases { #expect(!html.contains(marker.rawValue)) }
        for forbidden in [
            #"<script"#, #"<style"#, #"<link"#, #"<base"#, #"<iframe"#, #"\sstyle="#, #"\son\w+="#, "http:",
        ] {
            let found = html.range(of: forbidden, options: [.regularExpression, .caseInsensitive])
            #expect(found == nil, "page.html has \(forbidden)")
        }
    }

    @Test func `No script and no style ends its element, or makes HTML of text`() {
        let forbidden = [
            "</script", "<script", "<!--", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
            "new Function", "DOMParser", "createContextualFragment", "srcdoc", "http://", "https://",
        ]
        let script = PageFiles.script.text
        for text in forbidden where script.range(of: text, options: .caseInsensitive) != nil {
            // The name of a namespace is no address.
            if text == "http://", !script.replacing("http://www.w3.org/", with: "").contains(text) { continue }
            Issue.record("the script has \(text)")
        }
        #expect(!script.contains("\r"), "Browsers read CR LF as LF, so the hash would differ.")
        for text in ["</style", "<!--", "@import", "url(http"] { #expect(!PageFiles.style.text.contains(text)) }
    }

    @Test func `A hostile name of a file stays text`() throws {
        let name = "a'\"&</title></script><script>alert(1)<!--<\u{338}\u{202E}.hindsight"
        let scratch = Scratch()
        // A file's name has no slash.
        let file = name.replacing("/", with: "\u{2215}")
        try FileManager.default.copyItem(
            at: Fixtures.recording("todo"),
            to: scratch.file(file)
        )
        let made = try MadePage(RecordingPage(of: Recording(at: scratch.file(file))))
        #expect(made.scripts.count == 1)
        let about = try #require(made.script(id: "about")?.text)
        #expect(!about.unicodeScalars.contains("<") && !about.unicodeScalars.contains("\u{202E}"))
        #expect(try made.about()["file"] as? String == file)
        let title = try #require(made.elements("title").first?.text)
        #expect(title.hasPrefix("a&#39;&quot;&amp;&lt;"), "\(title)")
        #expect(!title.unicodeScalars.contains("<") && !title.unicodeScalars.contains("\u{202E}"))
    }

    // MARK: Size and files

    @Test func `A recording whose states contradict each other has no page`() throws {
        let scratch = Scratch()
        let file = scratch.file()
        try FileManager.default.copyItem(at: Fixtures.open("todo").url, to: file)
        // A change of a value that was not there.
        let sql = #"UPDATE action SET steps = replace(steps, '["r/filter","all"', '["r/filter","none"') WHERE seq = 66"#
        try Connection(file.path, .readWrite).execute(sql)
        let page = try RecordingPage(of: Recording(at: file))
        #expect(throws: RecordingError.self) { try page.write { _ in } }
    }

    @Test func `A recording that is too large is refused with a part that is not`() throws {
        let recording = try Fixtures.open("todo")
        for limits in [PageLimits(actions: 10), PageLimits(bytes: 30_000)] {
            var page = try RecordingPage(of: recording)
            page.limits = limits
            let error = #expect(throws: PageError.self) { try page.write { _ in } }
            let part = try #require(error?.suggestion)
            // About three quarters of what fits.
            #expect(part.upperBound == recording.actionCount && part.count > 10)
            #expect("\(try #require(error))".contains("\(part.lowerBound) to \(part.upperBound)"))
            var smaller = try RecordingPage(of: recording, from: Recording.Position(seq: part.lowerBound))
            smaller.limits = PageLimits(actions: limits.actions, bytes: limits.bytes * 2)
            try smaller.write { _ in }
        }
    }

    @Test func `A file is complete, private, and never replaced by accident`() throws {
        let scratch = Scratch()
        let (file, output) = (scratch.file("t.hindsight"), scratch.file("t.html"))
        try FileManager.default.copyItem(at: Fixtures.recording("todo"), to: file)
        let page = try RecordingPage(of: Recording(at: file))
        try page.write(to: output)
        #expect(try String(contentsOf: output, encoding: .utf8) == MadePage(page).html)
        let mode = try FileManager.default.attributesOfItem(atPath: output.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let exists = #expect(throws: RecordingError.self) { try page.write(to: output) }
        #expect(exists?.code == .exists)
        try page.write(to: output, overwrite: true)
        let itself = #expect(throws: RecordingError.self) { try page.write(to: file, overwrite: true) }
        #expect(itself?.code == .unwritable)
        #expect(
            try scratch.names == [
                "t.hindsight", "t.html",
            ]
        )

        // A text could be written over itself, but not by its page.
        let text = scratch.file("t.jsonl")
        try Recording(at: file).writeText(to: text)
        let before = try Data(contentsOf: text)
        #expect(throws: RecordingError.self) {
            try RecordingPage(of: Recording(at: text)).write(to: text, overwrite: true)
        }
        #expect(try Data(contentsOf: text) == before)
    }

    @Test func `A part that cannot be is refused`() throws {
        let recording = try Fixtures.open("todo")
        let error = #expect(throws: RecordingError.self) {
            try RecordingPage(of: recording, from: Recording.Position(seq: 9), to: Recording.Position(seq: 5))
        }
        #expect(error?.code == .positionOutOfRange)
    }
}
