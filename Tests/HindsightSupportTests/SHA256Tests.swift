import HindsightSupport
import TestSupport
import Testing

@Suite struct SHA256Tests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The examples of FIPS 180-4, and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `The examples of the standard have their hashes`(message: String, hash: String) {
        #expect(hex(SHA256.digest(of: Array(message.utf8))) == hash)
    }

    @Test(.enabled(if: Python.has("hashlib"), "needs python3"))
    func `Messages of all lengths around a block have the hashes that Python computes`() throws {
        let lengths = Array(0...200) + [4095, 4096, 100_003]
        let script = """
            import hashlib, sys
            for length in map(int, open(sys.argv[1]).read().split()):
                print(hashlib.sha256(bytes((i * 7 + length) & 255 for i in range(length))).hexdigest())
            """
        let input = lengths.map(String.init).joined(separator: " ")
        let expected = try Python.run(script, input: input).split(separator: "\n").map(String.init)
        #expect(expected.count == lengths.count)
        for (length, hash) in zip(lengths, expected) {
            let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
            #expect(hex(SHA256.digest(of: message)) == hash, "\(length) bytes")
        }
    }
}
