import Foundation
import HindsightSupport
import Testing

@testable import HindsightCLI

@Suite struct LineReaderTests {
    /// Provides a text in pieces of a few bytes.
    private func lines(_ text: String, piece: Int, longest: Int = 1000) throws -> [String] {
        var rest = Array(text.utf8)[...]
        let reader = LineReader(longest: longest) { buffer in
            let part = rest.prefix(min(piece, buffer.count))
            rest = rest.dropFirst(part.count)
            buffer.copyBytes(from: part)
            return .success(part.count)
        }
        var lines: [String] = []
        while let line = try reader.next() {
            lines.append(String(decoding: line, as: UTF8.self))
        }
        #expect(reader.line == lines.count)
        return lines
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\n", [""]), ("é\n漢", ["é", "漢"]),
    ])
    func `lines come without their endings`(text: String, expected: [String]) throws {
        for piece in [1, 2, 3, 1000] {
            #expect(try lines(text, piece: piece) == expected)
        }
    }

    @Test func `a long line in small pieces takes linear time`() throws {
        // 12,000 pieces: in quadratic time, this would take minutes.
        let long = String(repeating: "a", count: 12 << 20)
        let lines = try lines("first\n\(long)\nlast", piece: 1024, longest: 1 << 24)
        #expect(lines.map(\.utf8.count) == [5, 12 << 20, 4])
    }

    @Test func `a line is found however the pieces are cut`() throws {
        let expected = (0..<3000).map { String(repeating: "x", count: $0 * 7919 % 1009) }
        for piece in [61, 4096, 1 << 17] {
            #expect(try lines(expected.joined(separator: "\n") + "\n", piece: piece, longest: 2000) == expected)
        }
    }

    @Test func `an endless line throws`() {
        #expect(throws: LineReader.Problem.self) {
            try lines(String(repeating: "a", count: 300_000), piece: 4096, longest: 100_000)
        }
    }

    @Test func `a failed read throws`() {
        let reader = LineReader { _ in .failure(SystemError(number: EISDIR)) }
        #expect(throws: LineReader.Problem.self) { try reader.next() }
    }
}

@Suite struct OutputTests {
    @Test func `output arrives in order`() {
        var bytes: [UInt8] = []
        let output = Output(capacity: 8) { piece in
            bytes.append(contentsOf: piece.prefix(3))
            return .success(min(3, piece.count))
        }
        output.write("hello, ")
        output.writeLine("world")
        output.write(bytes: [0, 255])
        output.flush()
        #expect(bytes == Array("hello, world\n".utf8) + [0, 255])
        #expect(output.isOpen)
    }

    @Test func `a closed pipe is no failure`() {
        let output = Output(capacity: 1) { _ in .failure(SystemError(number: EPIPE)) }
        output.write("hello")
        #expect(!output.isOpen)
        #expect(output.failure == nil)
    }

    @Test func `a full disk is a failure`() {
        let output = Output(capacity: 1) { _ in .failure(SystemError(number: ENOSPC)) }
        output.write("hello")
        #expect(output.failure?.number == ENOSPC)
    }
}

@Suite struct TerminalTests {
    @Test(arguments: [
        (ColorChoice.auto, true, false, true), (.auto, true, true, false), (.auto, false, false, false),
        (.always, false, true, true), (.never, true, false, false),
    ])
    func `colour is for terminals`(choice: ColorChoice, isTerminal: Bool, refuses: Bool, uses: Bool) {
        let terminal = Terminal(isOutputTerminal: isTerminal, refusesColor: refuses)
        #expect(terminal.usesColor(choice) == uses)
    }

    @Test(
        arguments: [(nil, nil), ("60", 60), ("0", nil), ("-3", nil), ("wide", nil), ("", nil), ("1e9", nil)]
            as [(String?, Int?)]
    )
    func `COLUMNS is used if it is a width`(text: String?, width: Int?) {
        #expect(Terminal.asked(text) == width)
    }

    @Test func `progress has the width of the terminal that it is shown on`() throws {
        // In a child process, the error stream is a pipe, and another descriptor is the terminal.
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        var size = winsize(ws_row: 24, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
        let result = ioctl(terminal, UInt(TIOCSWINSZ), &size)
        try #require(result == 0)
        let asked = Terminal.asked(ProcessInfo.processInfo.environment["COLUMNS"])
        #expect(Terminal.current(errors: terminal).errorColumns == asked ?? 40)
    }

    @Test func `lines may have any length without a terminal`() {
        #expect(!Terminal().isLimited)
        #expect(Terminal().width == Terminal.unlimited)
        #expect(Terminal(columns: 60).width == 60)
        #expect(Terminal(columns: 3).width == Terminal.narrowest)
    }
}
