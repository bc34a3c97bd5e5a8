import Foundation
import TestSupport

/// A process's operations on its files, in order, as the shim logged them.
struct DiskLog {
    enum Event {
        /// A file was created; the end of its name.
        case create(file: Int, suffix: String)
        case write(file: Int, offset: Int, bytes: [UInt8])
        case truncate(file: Int, size: Int)
        /// The file was extended if it was shorter.
        case allocate(file: Int, size: Int)
        /// The file's contents reached the disk.
        case sync(file: Int)
        /// The pages of a range reached the disk.
        case syncRange(file: Int, Range<Int>)
        /// The directory's names reached the disk.
        case syncNames
        case unlink(file: Int)
        /// `dispatch` returned from an action, or `flush` after it if the number is negative.
        case returned(Int)
    }

    let events: [Event]

    init(_ url: URL) throws {
        let data = [UInt8](try Data(contentsOf: url))
        var events: [Event] = []
        func number<Number: FixedWidthInteger>(_ at: Int, _ type: Number.Type) -> Int {
            data.withUnsafeBytes { Int(Number(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: type))) }
        }
        var at = 0
        while at + 14 <= data.count {
            let (kind, file) = (Character(Unicode.Scalar(data[at])), Int(data[at + 1]))
            let (offset, count) = (number(at + 2, Int64.self), number(at + 10, UInt32.self))
            let bytes = Array(data[at + 14..<min(data.count, at + 14 + count)])
            let event: Event? =
                switch kind {
                case "c": .create(file: file, suffix: String(decoding: bytes, as: UTF8.self))
                case "w": .write(file: file, offset: offset, bytes: bytes)
                case "t": .truncate(file: file, size: offset)
                case "a": .allocate(file: file, size: offset)
                case "s": .sync(file: file)
                case "m": .syncRange(file: file, offset..<offset + number(at + 14, Int64.self))
                case "d": .syncNames
                case "u": .unlink(file: file)
                case "r": .returned(number(at + 14, Int64.self))
                default: nil
                }
            if let event { events.append(event) }
            at += 14 + count
        }
        self.events = events
    }
}

/// A possible state of a disk after its machine has lost power.
///
/// Synced data is on the disk. Of later writes, the disk may have nothing, all, the first part, or another version of
/// each sector of 512 bytes. Files appear and disappear in order, up to some moment after their directory was last
/// synced.
struct DiskModel {
    private final class File {
        var durable: [UInt8] = []
        var pending: [Change] = []
    }

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case size(Int)
        case atLeast(Int)
    }

    private var suffixes: [Int: String] = [:]
    private var present: [Int: File] = [:]
    /// The names after each change since the last sync. The first are on the disk.
    private var names: [[Int: File]] = [[:]]
    private(set) var returned = 0
    private(set) var flushed = 0

    mutating func apply(_ event: DiskLog.Event) {
        switch event {
        case .create(let file, let suffix):
            suffixes[file] = suffix
            present[file] = File()
            names.append(present)
        case .unlink(let file):
            present[file] = nil
            names.append(present)
        case .write(let file, let offset, let bytes):
            present[file]?.pending.append(.write(offset: offset, bytes: bytes))
        case .truncate(let file, let size):
            present[file]?.pending.append(.size(size))
        case .allocate(let file, let size):
            present[file]?.pending.append(.atLeast(size))
        case .sync(let file):
            guard let file = present[file] else { return }
            file.durable = Self.contents(file) { _ in file.pending.count }
            file.pending = []
        case .syncRange(let number, let range):
            guard let file = present[number] else { return }
            let now = Self.contents(file) { _ in file.pending.count }
            let pages = range.lowerBound / 4096 * 4096..<min(now.count, (range.upperBound + 4095) / 4096 * 4096)
            file.durable = Self.resized(file.durable, now.count)
            file.durable.replaceSubrange(pages, with: now[pages])
            // The size is on the disk too, so pending writes beyond it are gone.
            var limit = Int.max
            var rest: [Change] = []
            for change in file.pending.reversed() {
                if case .size(let size) = change { limit = min(limit, size) }
                rest += Self.outside(change, pages, before: limit)
            }
            file.pending = rest.reversed()
        case .syncNames:
            names = [present]
        case .returned(let number):
            if number > 0 { returned = number } else { flushed = -number }
        }
    }

    /// Writes the files in a state that the disk may have, with names that begin with `path`.
    ///
    /// - Parameter isWorst: Whether only synced data is on the disk.
    func write(to path: String, isWorst: Bool = false, _ generator: inout Seeded) throws {
        let way = isWorst ? 0 : generator.below(4)
        let found = way == 1 ? present : names[isWorst ? 0 : generator.below(names.count)]
        for (number, file) in found {
            let count = file.pending.count
            let prefix = generator.below(count + 1)
            var cuts: [Int: Int] = [:]
            let bytes = Self.contents(file) { sector in
                switch way {
                case 0: return 0
                case 1: return count
                case 2: return prefix
                default:
                    if let cut = cuts[sector] { return cut }
                    let cut = generator.below(count + 1)
                    cuts[sector] = cut
                    return cut
                }
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path + (suffixes[number] ?? "")))
        }
    }

    // MARK: Contents

    private static let sector = 512

    /// A file's bytes. Each sector has as many of the changes as `cut` says; the size counts as sector -1.
    private static func contents(_ file: File, cut: (Int) -> Int) -> [UInt8] {
        var size = file.durable.count
        var longest = size
        let sizeCut = cut(-1)
        for (index, change) in file.pending.enumerated() {
            var next = longest
            switch change {
            case .write(let offset, let bytes): next = max(next, offset + bytes.count)
            case .size(let count), .atLeast(let count): next = max(next, count)
            }
            longest = max(longest, next)
            guard index < sizeCut else { continue }
            switch change {
            case .write(let offset, let bytes): size = max(size, offset + bytes.count)
            case .size(let count): size = count
            case .atLeast(let count): size = max(size, count)
            }
        }
        var bytes = resized(file.durable, longest)
        let count = (longest + sector - 1) / sector
        let cuts = (0..<count).map(cut)
        for (index, change) in file.pending.enumerated() {
            switch change {
            case .write(let offset, let new):
                for at in new.indices where index < cuts[(offset + at) / sector] { bytes[offset + at] = new[at] }
            case .size(let from):
                for at in from..<max(from, longest) where index < cuts[at / sector] { bytes[at] = 0 }
            case .atLeast: break
            }
        }
        return resized(bytes, size)
    }

    private static func resized(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
    }

    /// The parts of a change outside a range, and before a limit.
    private static func outside(_ change: Change, _ range: Range<Int>, before limit: Int) -> [Change] {
        guard case .write(let offset, let all) = change else { return [] }
        let bytes = all.prefix(max(0, limit - offset))
        if bytes.isEmpty { return [] }
        var parts: [Change] = []
        let end = offset + bytes.count
        if offset < range.lowerBound {
            parts.append(.write(offset: offset, bytes: Array(bytes.prefix(range.lowerBound - offset))))
        }
        if end > range.upperBound {
            let start = max(offset, range.upperBound)
            parts.append(.write(offset: start, bytes: Array(bytes.suffix(end - start))))
        }
        return parts
    }
}
