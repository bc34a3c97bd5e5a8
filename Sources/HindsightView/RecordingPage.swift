import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// A page that shows a whole recording: one file of HTML, which browsers open from disk, without a network.
///
/// ```swift
/// try RecordingPage(of: Recording(at: session)).write(to: URL(filePath: "session.html"))
/// ```
///
/// The page has the recording's text (`Recording.writeText(of:_:)`), deflated if the system has zlib, and the script
/// that reads it. A Content-Security-Policy allows this script by its hash, and nothing else: no other script, no
/// request, no form. Text of the recording is never parsed as HTML.
package struct RecordingPage {
    private let recording: Recording
    private var part: TextPart
    /// How the page says that its tool is called.
    package var command = "hindsight"
    /// The tool and its version.
    package var tool = "Hindsight"
    /// The time at which the page is made, in nanoseconds since 1970.
    package var made = SystemClock.wall
    package var limits = PageLimits()
    /// Whether the page asks its server for the actions, and has only the recording's first line.
    package var isLive = false
    /// The places at which a replay differed.
    package var divergences: [PageDivergence] = []
    /// What the reducers did before the recorded process ended in an action, as the tool computed it from the recorded
    /// state before that action; empty if that is not known. The page marks it as computed.
    package var computedSteps: [RecordedStep] {
        get { part.computedSteps }
        set { part.computedSteps = newValue }
    }
    /// Whether the text is deflated if the system has zlib.
    package var deflates = true

    /// Prepares a page. Costs no more than looking at the positions.
    ///
    /// - Parameters:
    ///   - recording: The recording. It may be live, or have files beside it; the page shows it as it was opened.
    ///   - first: The position with whose state the page begins, which must be known; the start by default. If it is
    ///     within an action, the page begins before that action.
    ///   - last: The last position; the end by default. If it is within an action, the page has all of that action.
    ///   - path: The only place of the states that the page has, with what changed there; everything by default.
    /// - Throws: A `RecordingError` with the code `positionOutOfRange` if a position does not exist, the first state is
    ///   not known or doubtful, or the last position comes before the first; `damaged` or `unreadable`.
    package init(
        of recording: Recording,
        from first: Recording.Position? = nil,
        to last: Recording.Position? = nil,
        path: NodePath = NodePath()
    ) throws(RecordingError) {
        // Arithmetic with numbers from a file must not overflow.
        let isNumbered = 0...max(0, recording.actionCount) ~= recording.start.seq
        guard isNumbered, recording.actionCount <= RecordingPosition.lastPossibleAction else {
            throw RecordingError(.damaged, file: recording.url.path, reason: "its actions are not numbered from 1")
        }
        self.recording = recording
        var range: ClosedRange<Int>?
        if first != nil || last != nil {
            range = try recording.part(
                from: first ?? recording.start,
                to: last ?? Recording.Position(seq: recording.actionCount),
                endsInDoubt: true
            )
        }
        part = TextPart(range: range, path: path)
    }

    /// The action in which the recorded process ended, if the page has it.
    package var crashedAction: Int? {
        guard case .crashed(let seq, _) = recording.ending, seq > range.lowerBound, seq <= range.upperBound else {
            return nil
        }
        return seq
    }

    /// The position of the first state, and the last action.
    package var range: ClosedRange<Int> { part.range ?? recording.start.seq...recording.actionCount }

    /// Writes the page into a file that only its owner can read.
    ///
    /// The file has its name once it is complete. A killed run leaves a file `.NAME.XXXXXXXX.part`, which you may
    /// delete. Costs a pass over the recording; holds an action and a state in memory.
    ///
    /// - Parameters:
    ///   - url: The file to create. Its name should end in `.html`.
    ///   - overwrite: Whether to replace an existing file. Otherwise an existing file is an error.
    /// - Throws: A `RecordingError` with the code `exists`, `inUse`, `unwritable`, `damaged` or `unreadable`; or
    ///   ``PageError``.
    package func write(to url: URL, overwrite: Bool = false) throws {
        try NewFile.check(url.path, overwrite: overwrite, from: recording.url.path)
        let text = try text()
        try recording.writeFile(to: url, overwrite: overwrite) { try write(text, $0) }
    }

    /// Passes the page to `write`, part by part.
    ///
    /// - Throws: A `RecordingError` with the code `damaged`, `unreadable` or `unwritable`; ``PageError``; or what
    ///   `write` throws.
    package func write(_ write: (_ part: String) throws -> Void) throws {
        try self.write(try text(), write)
    }

    // MARK: The recording

    private func text() throws -> EmbeddedText {
        let count = range.upperBound - range.lowerBound
        guard count <= limits.actions || isLive else {
            throw tooLarge("it has \(count) actions, and a page at most \(limits.actions)", limits.actions)
        }
        do {
            let text = try EmbeddedText(deflates: deflates)
            var lines = 0
            var part = part
            // A page of a damaged recording would show states that never were.
            part.isChecked = true
            if isLive { part.lines = .header }
            try recording.writeText(of: part) { line in
                try text.add(line)
                lines += 1
                guard text.count <= limits.bytes else {
                    let most = limits.bytes / 1_000_000
                    throw tooLarge("its text has more than the \(most) MB that a page has at most", lines / 4 * 3)
                }
            }
            try text.finish()
            return text
        } catch let error as SystemError {
            throw RecordingError(
                .unwritable,
                file: FileManager.default.temporaryDirectory.path,
                reason: "a temporary file there could not be written: \(error)"
            )
        }
    }

    private func tooLarge(_ reason: String, _ count: Int) -> PageError {
        let last = range.upperBound
        let first = max(range.lowerBound, last - max(1, count))
        return PageError(reason: reason, suggestion: first...last)
    }

    // MARK: The page

    private func write(_ text: EmbeddedText, _ write: (String) throws -> Void) throws {
        for piece in PageFiles.template.pieces {
            switch piece {
            case .text(let html): try write(html)
            case .marker(.policy): try write(Self.policy + (isLive ? "; connect-src 'self'" : ""))
            case .marker(.title): try write(Self.escaped(escape(recording.url.lastPathComponent)) + " · Hindsight")
            case .marker(.style): try write("<style>\(PageFiles.style.text)</style>")
            case .marker(.script): try write("<script>\(PageFiles.script.text)</script>")
            case .marker(.about): try write(#"<script id="about" type="application/json">\#(about)</script>"#)
            case .marker(.recording):
                try write(#"<script id="recording" type="text/plain" data-encoding="\#(text.encoding)""#)
                try write(#" data-bytes="\#(text.count)">"#)
                try text.writeBase64(write)
                try write("</script>")
            }
        }
    }

    /// What the page may do: run its own script and use its own style.
    private static let policy = [
        "default-src 'none'",
        "script-src " + PageFiles.script.source,
        "style-src " + PageFiles.style.source,
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")

    /// What the page says of itself, as JSON in a script element.
    private var about: String {
        let isPart = part.range != nil
        let about: Node = [
            "file": .string(recording.url.lastPathComponent),
            "made": .string(TimeText.utc(nanoseconds: made)),
            "tool": .string(tool),
            "command": .string(command),
            "arguments": [
                "from": isPart ? .int(range.lowerBound) : .null,
                "to": isPart ? .int(range.upperBound) : .null,
                "path": part.path.isRoot ? .null : .string(part.path.description),
            ],
            "first": .int(range.lowerBound),
            "computed": computedSteps.isEmpty ? .null : crashedAction.map(Node.int) ?? .null,
            "isOpen": .bool(recording.ending == .open(live: true)),
            "live": isLive ? live : .null,
            "divergences": .array(divergences.map(\.node)),
        ]
        return escape(about.json).replacingScalars("<", with: "\\u003c")
    }

    /// What the page asks its server for, and the run and the ending that its first line has.
    private var live: Node {
        [
            "rows": "rows", "head": "head", "run": .string(String(recording.createdNanoseconds)),
            "ending": .string(recording.ending.word),
        ]
    }

    /// The text within an element or an attribute of HTML.
    private static func escaped(_ text: String) -> String {
        // The ampersand comes first: the others have one.
        let entities = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")]
        return entities.reduce(text) { html, entity in html.replacingScalars(entity.0, with: entity.1) }
    }
}

/// A place at which a replay differed from its recording.
package struct PageDivergence: Sendable {
    package var number: Int
    package var reducer: Int?
    package var path: NodePath
    package var text: String

    package init(number: Int, reducer: Int?, path: NodePath, text: String) {
        (self.number, self.reducer, self.path, self.text) = (number, reducer, path, text)
    }

    fileprivate var node: Node {
        [
            "number": .int(number), "reducer": reducer.map(Node.int) ?? .null, "path": .string(path.description),
            "text": .string(text),
        ]
    }
}

/// What a browser can open.
package struct PageLimits: Sendable {
    package var actions = 1_000_000
    /// The bytes of the text. In base64, they are still a string that all browsers can hold.
    package var bytes = 400_000_000
}
