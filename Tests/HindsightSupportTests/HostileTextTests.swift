import HindsightSupport
import Testing

@Suite struct HostileTextTests {
    @Test func `the wide table has all characters of the narrow one`() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(!scalar.isUnsafe || scalar.isUnprintable, "\(scalar.escapedAsLiteral)")
            #expect(!scalar.isControlOrFormat || scalar.isUnprintable, "\(scalar.escapedAsLiteral)")
        }
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
