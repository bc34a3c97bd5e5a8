import TestSupport

/// Damage to the structure of SQLite's pages, including cycles.
enum PageDamage {
    /// - Returns: A description of the damage.
    static func change(_ bytes: inout [UInt8], _ random: inout Seeded) -> String {
        guard bytes.count >= 1024 else { return "nothing" }
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        guard size >= 512, bytes.count / size > 1 else { return "nothing" }
        let pages = bytes.count / size
        let page = 1 + random.below(pages)
        let start = (page - 1) * size
        let head = start + (page == 1 ? 100 : 0)
        let cells = Int(bytes[head + 3]) << 8 | Int(bytes[head + 4])
        switch random.below(8) {
        case 0:
            bytes[head] = random.pick([0, 2, 5, 10, 13, 1, 255])
            return "page \(page) of kind \(bytes[head])"
        case 1:
            put(random.pick([0, 1, cells + 1, cells - 1, 0xFFFF, size]), in: 2, at: head + 3, &bytes)
            return "page \(page) with another number of cells"
        case 2:
            let cell = head + 8 + 2 * random.below(max(1, min(cells, 200)))
            put(random.pick([0, 8, size - 1, size, 0xFFFF, random.below(size)]), in: 2, at: cell, &bytes)
            return "a cell of page \(page) elsewhere"
        case 3:
            put(1 + random.below(pages + 1), in: 4, at: head + 8, &bytes)
            return "page \(page) leads on to another"
        case 4:
            let other = 1 + random.below(pages)
            for index in 0..<size { bytes.swapAt(start + index, (other - 1) * size + index) }
            return "pages \(page) and \(other) swapped"
        case 5:
            let other = 1 + random.below(pages)
            for index in 0..<size { bytes[start + index] = bytes[(other - 1) * size + index] }
            return "page \(page) is a copy of \(other)"
        case 6:
            let field = random.pick([16, 18, 19, 20, 24, 28, 32, 36, 40, 44, 52, 56, 60, 64, 68, 92, 96])
            put(Int(truncatingIfNeeded: random.pick(Damage.numbers)), in: field < 24 ? 1 : 4, at: field, &bytes)
            return "the head's field at \(field)"
        default:
            return maze(
                &bytes,
                page: max(2, page),
                size: size,
                levels: 1 + random.below(17),
                fan: random.pick([2, 20, size / 16])
            )
        }
    }

    /// Makes a table's page refer to a page a hundred times, that one to another a hundred times, and so on. A scan
    /// would see more rows than there are atoms.
    static func maze(_ bytes: inout [UInt8], page: Int, size: Int, levels: Int, fan: Int) -> String {
        let start = (page - 1) * size
        let leaf = Array(bytes[start..<start + size])
        guard leaf[0] == 13 || leaf[0] == 5 else { return "nothing" }
        bytes.removeLast(bytes.count % size)
        var next = bytes.count / size + 1
        bytes += leaf
        for level in 0..<levels {
            let isTop = level == levels - 1
            let made = interior(leadingTo: next, fan: fan, size: size)
            if isTop {
                bytes.replaceSubrange(start..<start + size, with: made)
            } else {
                bytes += made
                next = bytes.count / size
            }
        }
        // The number of pages in the header.
        put(bytes.count / size, in: 4, at: 28, &bytes)
        return "a maze of \(levels) levels at page \(page)"
    }

    private static func interior(leadingTo child: Int, fan: Int, size: Int) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: size)
        page[0] = 5
        put(fan, in: 2, at: 3, &page)
        put(child, in: 4, at: 8, &page)
        for cell in 0..<fan {
            let place = size - 5 * (cell + 1)
            put(child, in: 4, at: place, &page)
            page[place + 4] = UInt8(min(cell, 0x7F))
            put(place, in: 2, at: 12 + 2 * cell, &page)
        }
        put(size - 5 * fan, in: 2, at: 5, &page)
        return page
    }

    private static func put(_ number: Int, in width: Int, at place: Int, _ bytes: inout [UInt8]) {
        for index in 0..<width where place + index < bytes.count {
            bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * (width - 1 - index)))
        }
    }
}
