import TestSupport

/// Typical damage of disks, cables and editors.
enum Damage {
    /// Numbers that break careless arithmetic.
    static let numbers: [UInt64] = [
        0, 1, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
        0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0x0000_FFFF_FFFF_FFFF, 1_000_000_000,
    ]
    private static let text = Array(#"{}[],:"\0123456789-.eEnulltrue/~$@"#.utf8)

    /// - Returns: A description of the damage.
    static func change(_ bytes: inout [UInt8], _ random: inout Seeded) -> String {
        guard !bytes.isEmpty else { return "nothing" }
        let at = random.once(in: 4) ? random.below(min(bytes.count, 100)) : random.below(bytes.count)
        switch random.below(9) {
        case 0:
            bytes[at] ^= 1 << UInt8(random.below(8))
            return "bit at \(at)"
        case 1:
            bytes[at] = UInt8(truncatingIfNeeded: random.next())
            return "byte at \(at)"
        case 2:
            return overwrite(&bytes, at, &random)
        case 3:
            let (other, length) = (random.below(bytes.count), block(bytes, &random))
            let count = min(length, bytes.count - max(at, other))
            for index in 0..<count { bytes.swapAt(at + index, other + index) }
            return "\(count) bytes swapped between \(at) and \(other)"
        case 4:
            let count = random.once(in: 3) ? at / 512 * 512 : at
            bytes.removeLast(bytes.count - count)
            return "cut at \(count)"
        case 5:
            let count = random.once(in: 2) ? 1 + random.below(8) : block(bytes, &random)
            bytes.insert(contentsOf: (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }, at: at)
            return "\(count) bytes inserted at \(at)"
        case 6:
            let count = min(block(bytes, &random), bytes.count - at)
            bytes.removeSubrange(at..<at + count)
            return "\(count) bytes removed at \(at)"
        case 7:
            let count = min(block(bytes, &random), bytes.count - at)
            let value: UInt8 = random.pick([0, 0xFF, UInt8(ascii: "["), UInt8(ascii: "0")])
            for index in at..<at + count { bytes[index] = value }
            return "\(count) bytes of \(value) at \(at)"
        default:
            // In the middle of text if there is some.
            var place = at
            for _ in 0..<50 where !(0x20..<0x7F ~= bytes[place]) { place = random.below(bytes.count) }
            bytes[place] = random.pick(text)
            return "a character at \(place)"
        }
    }

    private static func block(_ bytes: [UInt8], _ random: inout Seeded) -> Int {
        random.pick([1, 16, 64, 512, 4096, 1 + random.below(max(1, bytes.count / 4))])
    }

    private static func overwrite(_ bytes: inout [UInt8], _ at: Int, _ random: inout Seeded) -> String {
        let (number, width) = (random.pick(numbers), random.pick([1, 2, 4, 8]))
        let isLittle = random.once(in: 3)
        for index in 0..<width where at + index < bytes.count {
            let shift = UInt64(8 * (isLittle ? index : width - 1 - index))
            bytes[at + index] = UInt8(truncatingIfNeeded: number >> shift)
        }
        return "\(number) in \(width) bytes at \(at)"
    }
}
