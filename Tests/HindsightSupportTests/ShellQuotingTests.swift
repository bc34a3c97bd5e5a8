import Foundation
import HindsightSupport
import Testing

@Suite struct ShellQuotingTests {
    @Test(arguments: [
        "", "a", "a b", "it's", "-x", "$HOME", "a\nb", "\u{1}'\\", "å", "*", "~", "a;b", "/tmp/x-1.y",
        "a'\u{301}; echo b; '\u{301}", "-\u{345}x",
    ])
    func `a shell reads a quoted word as it was`(word: String) throws {
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(filePath: "/bin/bash")
        shell.arguments = ["-c", "printf %s \(ShellQuoting.quote(word))"]
        shell.standardOutput = output
        try shell.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(text == (word.utf8.first == UInt8(ascii: "-") ? "./" + word : word))
        #expect(word.isEmpty ? ShellQuoting.quote(word) == "''" : !ShellQuoting.quote(word).isEmpty)
    }

    @Test func `a word that is no path stays as it is`() {
        #expect(ShellQuoting.quote("-5s", isPath: false) == "-5s")
        #expect(ShellQuoting.quote("-1 < /a", isPath: false) == "'-1 < /a'")
    }
}
