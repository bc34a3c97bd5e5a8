import HindsightSupport
import TestSupport
import Testing

@Suite(.enabled(if: Deflater() != nil, "needs zlib")) struct InflaterTests {
    private let most = 1 << 24

    private func message(of count: Int) -> [UInt8] {
        var generator = Seeded(seed: 7)
        var message: [UInt8] = []
        for index in 0..<count {
            // Half of it repeats, and half does not.
            message.append(index & 1024 == 0 ? UInt8(index & 15) : UInt8(truncatingIfNeeded: generator.next()))
        }
        return message
    }

    @Test(arguments: [0, 1, 2, 1000, 65_535, 65_536, 65_537, 262_144, 1_000_003])
    func `A deflated message inflates to itself`(count: Int) throws {
        let message = message(of: count)
        let deflated = try Deflater.deflate(message)
        #expect(try Inflater.inflate(deflated, limit: most) == message)
        #expect(try Inflater.inflate(deflated, limit: count) == message)
    }

    @Test func `A message larger than the limit is refused`() throws {
        let deflated = try Deflater.deflate([UInt8](repeating: 0, count: 1 << 22))
        #expect(deflated.count < 1 << 13)
        #expect(try Inflater.inflate(deflated, limit: 1 << 22 - 1) == nil)
    }

    @Test func `A message that is cut, changed or continued is refused`() throws {
        let message = message(of: 5000)
        let deflated = try Deflater.deflate(message)
        for count in stride(from: 0, to: deflated.count, by: 97) {
            #expect(try Inflater.inflate(Array(deflated[..<count]), limit: most) == nil, "the first \(count) bytes")
        }
        for index in stride(from: 0, to: deflated.count, by: 89) {
            var changed = deflated
            changed[index] ^= 0x55
            #expect(try Inflater.inflate(changed, limit: most) != message, "byte \(index)")
        }
        #expect(try Inflater.inflate(deflated + [0], limit: most) == nil)
    }

    @Test(.enabled(if: Python.has("zlib"), "needs python3"))
    func `Python inflates what the deflater makes`() throws {
        let deflated = try Deflater.deflate(message(of: 100_000)).map { String($0) }.joined(separator: " ")
        let script = """
            import sys, zlib
            print(len(zlib.decompress(bytes(map(int, open(sys.argv[1]).read().split())))))
            """
        #expect(try Python.run(script, input: deflated).split(separator: "\n").first == "100000")
    }
}
