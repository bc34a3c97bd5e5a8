import HindsightSupport
import Testing

@testable import HindsightCLI

@Suite struct EscapingTests {
    @Test(arguments: [
        ("plain é 漢 👍🏽", "plain é 漢 👍🏽"),
        ("\u{1B}[31mred", #"\u001b[31mred"#),
        ("a\nb\tc\rd", #"a\nb\tc\rd"#),
        ("\0\u{7F}\u{9B}", #"\u0000\u007f\u009b"#),
        ("\u{202E}txt.exe", #"\u202etxt.exe"#),
        ("\u{2066}\u{200F}\u{FEFF}", #"\u2066\u200f\ufeff"#),
        ("\u{E0041}", #"\udb40\udc41"#),
    ])
    func `terminal controls are escaped`(text: String, shown: String) {
        #expect(escape(text) == shown)
    }

    @Test func `every control character is escaped`() {
        for value in Array(0..<0x20) + Array(0x7F..<0xA0) {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            #expect(escape(String(scalar)).hasPrefix("\\"), "\(value)")
        }
    }

    @Test func `quotes and backslashes inside a quoted text are escaped`() {
        #expect(quote(#"a "b" \c"#) == #""a \"b\" \\c""#)
        #expect(quote("\u{1B}\"") == #""\u001b\"""#)
    }

    @Test func `a long name is cut with a count`() {
        #expect(brief("cart.totals") == "cart.totals")
        #expect(brief("\u{1B}" + String(repeating: "é", count: 9), longest: 4) == "\\u001bééé… (+12 bytes)")
    }

    @Test func `lines stay lines in printed JSON`() {
        #expect(escapeLines("{\n  \"a\": \"\u{9B}\"\n}") == "{\n  \"a\": \"\\u009b\"\n}")
    }
}
