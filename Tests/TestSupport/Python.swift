import Foundation

/// The machine's `python3`, an independent implementation.
public enum Python {
    /// Whether `python3` is installed and has the module.
    public static func has(_ module: String) -> Bool {
        (try? run("import importlib.util,sys;sys.exit(importlib.util.find_spec('\(module)') is None)", input: ""))
            != nil
    }

    /// Runs a script and returns its output. `input` is the text of the file that `sys.argv[1]` names.
    public static func run(_ script: String, input: String) throws -> String {
        let scratch = Scratch()
        let inputFile = scratch.file("input")
        try Data(input.utf8).write(to: inputFile)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, inputFile.path]
        let output = Pipe()
        process.standardOutput = output
        // Python's error messages go to the test's own output.
        process.standardError = FileHandle.standardError
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return String(decoding: text, as: UTF8.self)
    }

    public struct Failure: Error {
        public let status: Int32
    }
}
