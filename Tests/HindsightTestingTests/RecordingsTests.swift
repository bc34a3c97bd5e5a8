import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightStore
import TestSupport
import Testing

@testable import HindsightTesting

/// The fixtures of a test: how they are found, and when they are written.
@Suite struct RecordingsTests {
    private let scratch = Scratch()
    private var folder: URL { scratch.directory }

    private func record(_ url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try recordTally(upTo: 2, to: url)
    }

    @Test func `Each recording below the folder is a case with a short name`() throws {
        try record(folder.appending(path: "Recordings/b.hindsight"))
        try record(folder.appending(path: "Recordings/2026/a.hindsight"))
        try record(folder.appending(path: "Recordings/.hidden.hindsight"))
        let b = try Recording(at: folder.appending(path: "Recordings/b.hindsight"))
        try b.writeText(to: folder.appending(path: "Recordings/c.jsonl"))
        try Data(#"{"add":{"_0":1}}"#.utf8).write(to: folder.appending(path: "Recordings/actions.jsonl"))
        try Data("x".utf8).write(to: folder.appending(path: "Recordings/notes.txt"))
        let found = Recordings(filePath: folder.appending(path: "Tests.swift").path)
        #expect(found.map(\.testDescription) == ["2026/a.hindsight", "b.hindsight", "c.jsonl"])
        for fixture in found { #expect(expectReplay(of: fixture, by: tally())?.actions == 2) }
        let listed = try recordings(in: folder.appending(path: "Recordings")).map(\.lastPathComponent)
        #expect(listed == ["b.hindsight", "c.jsonl"])
    }

    @Test func `A folder without recordings is an issue that names the folder`() throws {
        for name in ["missing", "empty"] {
            if name == "empty" {
                try FileManager.default.createDirectory(
                    at: folder.appending(path: name),
                    withIntermediateDirectories: true
                )
            }
            let found = Recordings(name, filePath: folder.appending(path: "Tests.swift").path)
            #expect(found.count == 1)
            let text = issues { for fixture in found { expectReplay(of: fixture, by: tally()) } }.joined()
            #expect(text.contains(folder.standardizedFileURL.appending(path: name).path), "\(text)")
        }
    }

    @Test func `A bundle's recordings are those of its resources`() {
        let resources = Bundle.main.resourceURL ?? Bundle.main.bundleURL
        let found = Recordings("none-\(UUID().uuidString)", in: .main)
        #expect(found.folder.deletingLastPathComponent().path == resources.standardizedFileURL.path)
    }

    // MARK: Modes

    private static let modes: [(RecordingMode?, [String: String], RecordingMode, String?)] = [
        (nil, [:], .missing, nil),
        (nil, ["CI": ""], .missing, nil),
        (nil, ["CI": "false", "HINDSIGHT_RECORD": "all"], .all, nil),
        (nil, ["CI": "true"], .never, nil),
        (nil, ["CI": "1", "HINDSIGHT_RECORD": "never"], .never, nil),
        (nil, ["CI": "1", "HINDSIGHT_RECORD": "failed"], .never, "mode is failed"),
        (.all, ["CI": "1"], .never, "mode is all"),
        (nil, ["HINDSIGHT_RECORD": "failed"], .failed, nil),
        (.never, ["HINDSIGHT_RECORD": "failed"], .never, nil),
        (.failed, ["HINDSIGHT_RECORD": "nonsense"], .failed, nil),
        (nil, ["HINDSIGHT_RECORD": "nonsense"], .never, "none of never, missing, failed, all"),
    ]

    @Test(arguments: modes.indices)
    func `The mode is that of the argument, else of the environment, and servers write nothing`(index: Int) {
        let (wanted, environment, expected, problem) = Self.modes[index]
        let (mode, found) = RecordingMode.resolve(wanted, in: environment)
        #expect(mode == expected)
        #expect((found == nil) == (problem == nil))
        if let problem { #expect(found?.contains(problem) == true, "\(found ?? "")") }
    }

    /// Checks a recording in a mode, whatever the environment.
    private func check(
        _ url: URL,
        _ app: ReplayableApp,
        _ mode: RecordingMode,
        makes: Bool = false,
        _ options: VerificationOptions = VerificationOptions()
    ) -> [String] {
        var session: ((RecordingSession) throws -> Void)?
        if makes { session = { try $0.add(upTo: 2) } }
        return TestAttachment.$receiver.withValue({ (_: String, _: [UInt8]) in }) {
            issues(of: url, by: app, mode, options, recording: session)
        }
    }

    @Test(arguments: RecordingMode.allCases, ["two.hindsight", "two.jsonl"])
    func `A missing recording is made unless the mode is never`(mode: RecordingMode, name: String) throws {
        let url = folder.appending(path: "New").appending(path: name)
        let texts = check(url, tally(), mode, makes: true)
        #expect(texts.first?.contains(url.path) == true)
        #expect(FileManager.default.fileExists(atPath: url.path) == (mode != .never))
        guard mode != .never else { return }
        let made = try Recording(at: url)
        #expect(made.isText == (name == "two.jsonl"))
        let result = try tally().verify(made)
        #expect(result.actions == 2)
        let unmade = check(folder.appending(path: "other.hindsight"), tally(), mode).joined()
        #expect(unmade.contains("there is no recording"), "\(unmade)")
    }

    @Test func `A recording that was made is closed, although the session is kept`() throws {
        let url = folder.appending(path: "two.hindsight")
        var kept: RecordingSession?
        let texts = issues(
            of: url,
            by: tally(),
            .missing,
            recording: { session in
                try session.add(upTo: 2)
                kept = session
            }
        )
        #expect(texts.count == 1, "\(texts)")
        #expect(try Recording(at: url).closed != nil)
        #expect(kept != nil)
    }

    @Test func `If the session of a missing recording throws, no file is left`() throws {
        struct Failure: Error {}
        let url = folder.appending(path: "two.hindsight")
        let texts = issues {
            expectReplay(of: url, by: tally(), mode: .missing) { session in
                try session.add(upTo: 2)
                throw Failure()
            }
        }
        #expect(!texts.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test(arguments: ["two.hindsight", "two.jsonl"])
    func `If the recorder of a missing recording has to stop, no file is left`(name: String) throws {
        let app = ReplayableApp(
            "fragile",
            initial: Fragile(),
            reducer: Reducer<Fragile, TallyAction>("break") { state, _ in state.additions += 1 }
        )
        let url = folder.appending(path: name)
        let texts = issues(of: url, by: app, .missing) { try $0.add(upTo: 2) }
        #expect(texts.count == 1 && texts.joined().contains("the state cannot be kept exactly"), "\(texts)")
        // Not the file in the temporary folder, which is gone.
        #expect(texts.joined().contains(url.path), "\(texts)")
        #expect(try scratch.names.isEmpty)
    }

    @Test(arguments: RecordingMode.allCases, ["two.hindsight", "two.jsonl"])
    func `A recording that fails gets today's states only in the modes failed and all`(
        mode: RecordingMode,
        name: String
    ) throws {
        let (database, url) = (folder.appending(path: "two.hindsight"), folder.appending(path: name))
        try record(database)
        if url != database { try Recording(at: database).writeText(to: url) }
        let actions = try Recording(at: url).actions(in: 1...2)
        let bytes = try Data(contentsOf: url)
        let texts = check(url, tally(factor: 3), mode)
        #expect(texts.joined().contains("/total"), "\(texts)")
        let isWritten = mode == .failed || mode == .all
        let isChanged = try Data(contentsOf: url) != bytes
        #expect(isChanged == isWritten)
        let after = try Recording(at: url)
        let kept = try after.actions(in: 1...2)
        #expect(kept == actions)
        #expect(after.isText == (name == "two.jsonl"))
        let result = try tally(factor: 3).verify(after)
        #expect(result.matches == isWritten)
    }

    @Test func `A recording that passes is written only in the mode all, and only if something changes`() throws {
        let url = folder.appending(path: "two.hindsight")
        try record(url)
        let bytes = try Data(contentsOf: url)
        for mode in RecordingMode.allCases { #expect(check(url, tally(), mode).isEmpty, "\(mode)") }
        #expect(try Data(contentsOf: url) == bytes)
        let tolerant = VerificationOptions(tolerances: [Tolerance("/total", absolute: 100)])
        for mode in RecordingMode.allCases {
            let texts = check(url, tally(factor: 2), mode, tolerant)
            #expect(texts.count == (mode == .all ? 1 : 0), "\(texts)")
        }
        let result = try tally(factor: 2).verify(Recording(at: url))
        #expect(result.matches)
    }

    private struct Note: Codable, Sendable {
        var text = ""
        var count = 0
    }

    @Test func `A recording that differs in the scalars of a text alone is written in the mode all`() throws {
        func noting(_ text: String) -> ReplayableApp {
            let reducer = Reducer<Note, TallyAction>("note") { state, _ in
                state.text = text
                state.count += 1
            }
            return ReplayableApp("note", initial: Note(), reducer: reducer)
        }
        let url = folder.appending(path: "note.hindsight")
        let session = try noting("\u{E9}").record(to: url)
        try session.add(upTo: 2)
        try session.close()
        let later = noting("e\u{301}")
        let texts = check(url, later, .all, VerificationOptions(ignoredPaths: ["/text"]))
        #expect(texts.count == 1, "\(texts)")
        let result = try later.verify(Recording(at: url))
        #expect(result.matches)
    }

    @Test func `An action that nothing can run stays the last one of a recording that is accepted`() throws {
        let url = folder.appending(path: "gap.jsonl")
        let head =
            #"{"hindsight":"recording","text":1,"app":"tally","version":"1.0","platform":"Linux","created":1,"#
            + #""facts":{"died":"2.1","recovered":0},"reducers":["tally"],"state":{"total":0,"unit":"pieces"}}"#
        let action =
            #"{"action":"add","payload":{"add":{"_0":1}},"#
            + #""changes":{"tally":[{"op":"replace","path":"/total","old":0,"value":1}]},"#
            + #""at":2,"duration":1,"times":[1]}"#
        let gap = #"{"action":"add","problem":"it is not Encodable","at":3}"#
        let text = [head, action, gap, #"{"end":true}"#].map { $0 + "\n" }.joined()
        try Data(text.utf8).write(to: url)
        for mode in [RecordingMode.failed, .all] {
            let texts = check(url, tally(), mode)
            #expect(texts.count == 1, "\(texts)")
            #expect(texts.joined().contains("action 2, in which the recorded process ended: not run"), "\(texts)")
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == text)
        let texts = check(url, tally(factor: 2), .failed).joined()
        #expect(texts.contains("was given the states of today's reducers"), "\(texts)")
        let result = try tally(factor: 2).verify(Recording(at: url))
        #expect(result.matches && result.actions == 1 && result.unfinished == 2)
    }

    @Test func `What names the folder Recordings says that its target excludes it`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        for place in [
            "README.md", "Sources/HindsightTesting/HindsightTesting.docc/HindsightTesting.md",
            "Sources/HindsightTesting/HindsightTesting.docc/FromBugReport.md",
        ] {
            let text = try String(contentsOf: root.appending(path: place), encoding: .utf8)
            #expect(text.contains(#"exclude: ["Recordings"]"#), "\(place)")
        }
    }
}

/// Cannot be encoded after two additions.
private struct Fragile: Codable, Sendable {
    var additions = 0

    enum CodingKeys: CodingKey { case additions }

    func encode(to encoder: any Encoder) throws {
        guard additions < 2 else {
            let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "it is broken")
            throw EncodingError.invalidValue(additions, context)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(additions, forKey: .additions)
    }
}
