import Foundation

/// What the built tool takes, whole processes: a long log of keystrokes, and its start on a small one.
func benchmarkTool() throws {
    let tool = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("hindsight")
    guard FileManager.default.isExecutableFile(atPath: tool.path) else {
        print("\nThe tool is not built beside this program: swift build -c release --product hindsight")
        return
    }
    let table = Table("The tool, whole processes", "time", "", "", "bar")
    try inScratchFolder { folder in
        let log = folder.appendingPathComponent("edits.jsonl")
        try Keystrokes.write(260_000, endingAt: 100_000, to: log)
        let file = folder.appendingPathComponent("edits.hindsight")
        func run(_ arguments: String..., times: Int = 1) throws -> Double {
            var all: [Double] = []
            for _ in 0..<times {
                let process = Process()
                process.executableURL = tool
                process.arguments = arguments
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                let elapsed = try ContinuousClock().measure {
                    try process.run()
                    process.waitUntilExit()
                }
                guard process.terminationStatus == 0 else { throw ToolFailure(arguments: arguments) }
                all.append(elapsed / .nanoseconds(1))
            }
            return all.sorted()[all.count / 2]
        }
        let recorded = try run("record", "--app", "notepad", "--input", log.path, file.path)
        table.row("record 260,000 keystrokes, ending in 100 KB", time(recorded), "", "", "8 s")
        table.row(
            "its file beside the actions' own lines",
            ratio(Double(fileSize(file)) / Double(fileSize(log))),
            "",
            "",
            "6 ×"
        )
        for position in ["1", "65432", "50%", "199999", "end"] {
            table.row("jump to \(position)", time(try run("jump", file.path, position, times: 5)), "", "", "40 ms")
        }
        table.row("verify", time(try run("verify", file.path)), "", "", "6 s")
        let small = folder.appendingPathComponent("small.jsonl")
        try Keystrokes.write(20, endingAt: 20, to: small)
        let smallFile = folder.appendingPathComponent("small.hindsight")
        _ = try run("record", "--app", "notepad", "--input", small.path, smallFile.path)
        table.row("info on a small file", time(try run("info", smallFile.path, times: 21)), "", "", "15 ms")
    }
}

private struct ToolFailure: Error {
    let arguments: [String]
}

/// A log of single-character edits, the same each time.
enum Keystrokes {
    static func write(_ count: Int, endingAt length: Int, to url: URL) throws {
        let letters = Array("etaoin shrdlu cmfwyp vbgkqjxz\n".utf8)
        var random: UInt64 = 88_172_645_463_325_252
        func number(_ bound: Int) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % UInt64(bound))
        }
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
