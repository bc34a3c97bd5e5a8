import Foundation

/// Measures whole processes of the built tool, on a long log of keystrokes and on a small one.
func benchmarkTool() throws {
    guard let tool = builtTool() else { return }
    let table = Table("The tool, whole processes", "time", "of the CPUs", "", "bar")
    try inScratchFolder { folder in
        let log = folder.appendingPathComponent("edits.jsonl")
        try Keystrokes.write(260_000, endingAt: 100_000, to: log)
        let file = folder.appendingPathComponent("edits.hindsight")
        func run(_ arguments: String..., times: Int = 1) throws -> Spawned {
            let all = try (0..<times).map { _ in try Spawned.run(tool.path, arguments) }
            return all.sorted { $0.time < $1.time }[times / 2]
        }
        let recorded = try run("record", "--app", "notepad", "--input", log.path, file.path)
        table.row("record 260,000 keystrokes, ending in 100 KB", recorded, bar: "8 s")
        table.row(
            "its file beside the actions' own lines",
            ratio(Double(fileSize(file)) / Double(fileSize(log))),
            "",
            "",
            "6 ×"
        )
        for position in ["1", "65432", "50%", "199999", "end"] {
            table.row("jump to \(position)", try run("jump", file.path, position, times: 5), bar: "40 ms")
        }
        table.row("verify", try run("verify", file.path), bar: "3 s")
        let many = folder.appendingPathComponent("many.jsonl")
        try Keystrokes.write(1_000_000, endingAt: 20_000, to: many)
        let manyFile = folder.appendingPathComponent("many.hindsight")
        _ = try run("record", "--app", "notepad", "--input", many.path, manyFile.path)
        let oneJob = try run("verify", "--jobs", "1", manyFile.path)
        let twoJobs = try run("verify", "--jobs", "2", manyFile.path)
        table.row("verify 1,000,000 keystrokes, one job", oneJob)
        table.row("the same, --jobs 2", twoJobs, ratio(oneJob.time / twoJobs.time), bar: "1.7 ×")
        let small = folder.appendingPathComponent("small.jsonl")
        try Keystrokes.write(20, endingAt: 20, to: small)
        let smallFile = folder.appendingPathComponent("small.hindsight")
        _ = try run("record", "--app", "notepad", "--input", small.path, smallFile.path)
        table.row("info on a small file", try run("info", smallFile.path, times: 21), bar: "15 ms")
    }
}

/// The folder of this program, in which the build leaves its other products.
let buildFolder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()

/// The tool that was built together with this program; `nil`, with a message, if there is none.
func builtTool() -> URL? {
    let tool = buildFolder.appendingPathComponent("hindsight")
    if FileManager.default.isExecutableFile(atPath: tool.path) { return tool }
    print("\nThe tool is not built beside this program: swift build -c release --product hindsight")
    return nil
}

/// The same random numbers in each run.
struct RandomNumbers {
    private var state: UInt64 = 88_172_645_463_325_252

    mutating func next(below bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }
}

/// A reproducible log of single-character edits.
enum Keystrokes {
    static func write(_ count: Int, endingAt length: Int, to url: URL) throws {
        let letters = Array("etaoin shrdlu cmfwyp vbgkqjxz\n".utf8)
        var random = RandomNumbers()
        func number(_ bound: Int) -> Int { random.next(below: bound) }
        let deletions = (count - length) / 2
        var (present, cursor, deleted) = (0, 0, 0)
        var text = ""
        for index in 0..<count {
            if number(100) == 0 { cursor = number(present + 1) }
            let rest = count - index
            if present > 0, deleted < deletions, number(rest) < deletions - deleted || rest <= deletions - deleted {
                if cursor == 0 { cursor = present }
                cursor -= 1
                present -= 1
                deleted += 1
                text += #"{"edit":{"at":\#(cursor),"delete":1,"insert":""}}"# + "\n"
            } else {
                let letter = letters[number(letters.count)]
                let shown = letter == UInt8(ascii: "\n") ? "\\n" : String(UnicodeScalar(letter))
                text += #"{"edit":{"at":\#(cursor),"delete":0,"insert":"\#(shown)"}}"# + "\n"
                cursor += 1
                present += 1
            }
        }
        try Data(text.utf8).write(to: url)
    }
}
