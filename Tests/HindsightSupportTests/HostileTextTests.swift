import HindsightSupport
import Testing

@Suite struct HostileTextTests {
    @Test func `the wide table has all characters of the narrow one`() {
        let missed = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init).filter {
            ($0.isUnsafe || $0.isControlOrFormat) && !$0.isUnprintable
        }
        #expect(missed.isEmpty)
    }

    @Test(arguments: [
        ("", nil),
        ("one\ntwo", nil),
        ("App/A.swift:3: Fatal error: gone\nmore", "App/A.swift:3: Fatal error: gone"),
        ("Fatal error: one\nPrecondition failed: two\n", "Precondition failed: two"),
    ])
    func `the last trap message of an output is found`(output: String, message: String?) {
        #expect(TrapMessage.last(in: Array(output.utf8)) == message)
    }
}
