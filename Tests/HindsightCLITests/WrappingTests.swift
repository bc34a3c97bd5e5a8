import HindsightSupport
import Testing

@testable import HindsightCLI

@Suite struct WrappingTests {
    @Test(
        arguments: [
            ("short", 20, nil, ["short"]),
            ("one two three four five", 20, nil, ["one two three four", "  five"]),
            ("  one two three four five", 20, 8, ["  one two three four", "        five"]),
            ("aaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbb", 20, 0, ["aaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb", "bbbbb"]),
            ("漢字漢字漢字漢字漢字漢字", 20, 2, ["漢字漢字漢字漢字漢字", "  漢字"]),
            ("one\ntwo three four five six", 20, nil, ["one", "two three four five", "  six"]),
            ("exactly twenty chars next", 20, 0, ["exactly twenty chars", "next"]),
        ] as [(String, Int, Int?, [String])]
    )
    func `a line is broken at spaces, else within a word`(line: String, width: Int, hanging: Int?, pieces: [String]) {
        #expect(line.wrapped(to: width, hanging: hanging) == pieces)
    }

    @Test func `colour continues after a line break`() {
        let red = "\u{1B}[31m"
        let plain = "\u{1B}[0m"
        #expect(
            "\(red)one two three four five\(plain) six".wrapped(to: 20, hanging: 0) == [
                "\(red)one two three four\(plain)", "\(red)five\(plain) six",
            ]
        )
    }

    @Test func `every width is kept and no text is lost`() {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let parts = ["a", "bc", "漢", "e\u{301}", " ", "  ", "\u{1B}[31m", "\u{1B}[0m", "👩‍👩‍👧", "longer-word", "x: 1,"]
        for _ in 0..<2000 {
            let line = (0..<next(60)).map { _ in parts[next(parts.count)] }.joined()
            let width = 20 + next(40)
            let pieces = line.wrapped(to: width, hanging: next(10))
            func bare(_ text: String) -> String {
                text.replacing("\u{1B}[31m", with: "").replacing("\u{1B}[0m", with: "")
            }
            for piece in pieces { #expect(bare(piece).columns <= width, "seed \(seed): \(piece)") }
            func words(_ text: String) -> String { bare(text).filter { $0 != " " } }
            #expect(words(pieces.joined()) == words(line), "seed \(seed)")
        }
    }

    @Test(arguments: [("a", 1), ("漢", 2), ("e\u{301}", 1), ("\u{301}", 0), ("👩‍👩‍👧", 2), ("", 0), ("ｶ", 1), ("ａ", 2)])
    func `columns are those of a terminal`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }
}

@Suite struct ShellQuotingTests {
    @Test(arguments: [
        ("session.hindsight", "session.hindsight"), ("runs/a-b_c.hindsight", "runs/a-b_c.hindsight"),
        ("my file", "'my file'"), ("it's", #"'it'\''s'"#), ("", "''"), ("$HOME", "'$HOME'"), ("a*b", "'a*b'"),
        ("-x", "./-x"), ("~", "'~'"), ("é漢", "é漢"), ("a\nb'", #"$'a\x0ab\''"#),
    ])
    func `a word is quoted as a shell needs it`(word: String, quoted: String) {
        #expect(ShellQuoting.quote(word) == quoted)
    }

    @Test func `a command is quoted with quotes that it does not contain`() {
        #expect(ShellQuoting.command("tool", "show", "a", "1") == "'tool show a 1'")
        #expect(ShellQuoting.command("tool", "show", ShellQuoting.quote("a b"), "1") == "“tool show 'a b' 1”")
    }
}
