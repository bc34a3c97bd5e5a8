import Foundation
import TestSupport
import Testing

/// The output of a process, and how it ended.
struct Finished {
    let code: Int32
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Expects the exit code.
    @discardableResult
    func expecting(code: Int32, sourceLocation: SourceLocation = #_sourceLocation) -> Finished {
        #expect(self.code == code, "\(text)\(errors)", sourceLocation: sourceLocation)
        return self
    }

    func json(line: Int = 0) throws -> [String: Any] {
        let lines = text.split(separator: "\n")
        try #require(lines.indices.contains(line), "no line \(line) in: \(text)\(errors)")
        let object = try JSONSerialization.jsonObject(with: Data(lines[line].utf8), options: .fragmentsAllowed)
        return try #require(object as? [String: Any])
    }
}

/// A temporary directory, and the built tool that runs in it.
final class Workshop {
    private let scratch = Scratch()

    var directory: URL { scratch.directory }

    func url(_ name: String) -> URL { directory.appending(path: name) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url(name))
    }

    /// Runs the built tool.
    @discardableResult
    func hindsight(_ arguments: String..., input: Data = Data()) throws -> Finished {
        try run(Self.tool, arguments, input: input)
    }

    @discardableResult
    func hindsight(_ arguments: [String], input: Data = Data()) throws -> Finished {
        try run(Self.tool, arguments, input: input)
    }

    /// Records lines of actions and expects success.
    func record(_ app: String, _ lines: [String], to name: String) throws {
        let result = try hindsight(
            "record",
            "--app",
            app,
            "--force",
            name,
            input: Data(lines.map { $0 + "\n" }.joined().utf8)
        )
        try #require(result.code == 0, "\(result.errors)")
    }

    /// Runs a program and waits for its end. Input and output use files, so that no pipe can fill up.
    ///
    /// - Parameter backtraces: Whether Swift's backtracer names the calls of a crash, which takes a second each time.
    func run(
        _ program: URL,
        _ arguments: [String],
        input: Data = Data(),
        backtraces: Bool = false
    ) throws -> Finished {
        let id = UUID().uuidString
        let (inputURL, outputURL, errorURL) = (url("\(id).in"), url("\(id).out"), url("\(id).err"))
        try input.write(to: inputURL)
        try Data().write(to: outputURL)
        try Data().write(to: errorURL)
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = directory
        if !backtraces { process.environment = ProcessInfo.environmentWithoutBacktraces }
        process.standardInput = try FileHandle(forReadingFrom: inputURL)
        process.standardOutput = try FileHandle(forWritingTo: outputURL)
        process.standardError = try FileHandle(forWritingTo: errorURL)
        try process.run()
        process.waitUntilExit()
        defer { for url in [inputURL, outputURL, errorURL] { try? FileManager.default.removeItem(at: url) } }
        return Finished(
            // A signal is no exit code; shells add 128.
            code: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: try Data(contentsOf: outputURL),
            errors: String(decoding: try Data(contentsOf: errorURL), as: UTF8.self)
        )
    }

    /// Runs a command line in a shell; `hindsight` is the built tool.
    func shell(_ line: String, backtraces: Bool = false) throws -> Finished {
        let path = "export PATH='\(Self.tool.deletingLastPathComponent().path)':\"$PATH\"; "
        return try run(URL(filePath: "/bin/bash"), ["-c", path + line], backtraces: backtraces)
    }

    /// The tool in the build products, beside the tests.
    static let tool: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let tests = bundle ?? URL(filePath: CommandLine.arguments[0]).standardizedFileURL
        return tests.deletingLastPathComponent().appending(path: "hindsight")
    }()

    /// Another program in the build products.
    static func built(_ name: String) -> URL { tool.deletingLastPathComponent().appending(path: name) }

    /// The package's directory.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Whether a command succeeds. Tests use it to look for programs.
    static func succeeds(_ line: String) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "\(line) >/dev/null 2>&1"]
        do {
            try process.run()
        } catch {
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    static let hasSQLiteShell = succeeds("command -v sqlite3")
    static let hasJSONPatch = succeeds("python3 -c 'import jsonpatch'")
}

/// Files that are made once, for all tests of a suite.
struct Supplies: Sendable {
    /// The contents of each path; `nil` for a folder.
    private let made: Result<[(path: String, contents: Data?)], any Error>

    /// `t.hindsight` with the session of todo.
    static let todo = Supplies { try $0.record("todo", Sessions.todo, to: "t.hindsight") }

    init(_ make: (Workshop) throws -> Void) {
        made = Result {
            let workshop = Workshop()
            try make(workshop)
            var files: [(path: String, contents: Data?)] = []
            // A folder comes before what is in it.
            for path in try FileManager.default.subpathsOfDirectory(atPath: workshop.directory.path).sorted() {
                var isFolder: ObjCBool = false
                let url = workshop.url(path)
                _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
                files.append((path, try isFolder.boolValue ? nil : Data(contentsOf: url)))
            }
            return files
        }
    }

    func put(into workshop: Workshop) throws {
        for (path, contents) in try made.get() {
            let url = workshop.url(path)
            if let contents {
                try contents.write(to: url)
            } else {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            }
        }
    }
}

/// Sessions for tests to record.
enum Sessions {
    static let todo = [
        #"{"add":{"title":"Milk"}}"#,
        #"{"add":{"title":"Bread","tags":["shop","soon"]}}"#,
        #"{"toggle":{"id":1}}"#,
        #"{"annotate":{"id":2,"text":"wholemeal"}}"#,
        #"{"setFilter":{"to":"done"}}"#,
        #"{"move":{"id":2,"index":0}}"#,
        #"{"undo":{}}"#,
        #"{"clearDone":{}}"#,
    ]

    static let notepad = [
        #"{"edit":{"at":0,"delete":0,"insert":"héllo"}}"#,
        #"{"edit":{"at":6,"delete":0,"insert":" world"}}"#,
        #"{"edit":{"at":0,"delete":1,"insert":"H"}}"#,
    ]

    static let checkout = [
        #"{"AddLine":{"sku":"MUG-BLUE","quantity":2}}"#
    ]

    /// The last action ends the process, in reducer 7 of 9 (cart.totals).
    static let crashingCheckout = [
        #"{"AddLine":{"sku":"TEA-001","quantity":2}}"#,
        #"{"AddLine":{"sku":"CUP-014","quantity":4}}"#,
        #"{"ChangeQuantity":{"sku":"CUP-014","quantity":0}}"#,
        #"{"ApplyCoupon":{"code":"WELCOME10"}}"#,
    ]
}
