import HindsightSupport
import TestSupport
import Testing

@Suite struct LineBufferTests {
    /// The lines of some bytes that arrive in pieces.
    private func lines(of bytes: [UInt8], in sizes: () -> Int) throws -> [[UInt8]] {
        var buffer = LineBuffer()
        var (rest, lines) = (bytes[...], [[UInt8]]())
        while true {
            while let line = buffer.next() { lines.append(Array(line)) }
            if buffer.isAtEnd { return lines }
            try buffer.fill { room -> Result<Int, any Error> in
                let count = min(sizes(), rest.count, room.count)
                room.copyBytes(from: rest.prefix(count))
                rest = rest.dropFirst(count)
                return .success(count)
            }
        }
    }

    @Test(arguments: Seeded.runs(20))
    func `Lines are those of splitting all bytes, however they arrive`(seed: Seeded) throws {
        var random = seed
        for _ in 0..<50 {
            var bytes: [UInt8] = random.once(in: 3) ? [0xEF, 0xBB, 0xBF] : []
            for _ in 0..<random.below(60) {
                // A mark of the byte order is one at the start only.
                bytes += random.pick([[0x0A], [0x0A], [0x0D], [0x61], [0x62], [0xEF], [0x0A, 0xEF, 0xBB, 0xBF]])
            }
            var expected = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
            // What ends the last line begins no other one.
            if expected.last == [] { expected.removeLast() }
            expected = expected.enumerated().map { index, line in
                var line = line
                if line.last == 0x0D { line.removeLast() }
                if index == 0, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
                return line
            }
            #expect(try lines(of: bytes) { 1 + random.below(9) } == expected, "\(bytes) \(seed)")
        }
    }

    @Test func `A line that is longer than a read, and a failing read, lose nothing`() throws {
        struct Failed: Error {}
        let long = [UInt8](repeating: 0x61, count: 300_000)
        #expect(try lines(of: long + [0x0A] + long) { 70_000 } == [long, long])
        var buffer = LineBuffer()
        try buffer.fill { room -> Result<Int, Failed> in
            room.copyBytes(from: [0x61, 0x62])
            return .success(2)
        }
        #expect(buffer.next() == nil && buffer.rest == 2)
        #expect(throws: Failed.self) { try buffer.fill { _ in .failure(Failed()) } }
        try buffer.fill { _ -> Result<Int, Failed> in .success(0) }
        #expect(buffer.next().map(Array.init) == [0x61, 0x62])
        #expect(!buffer.isEnded && buffer.number == 1 && buffer.next() == nil)
    }
}
