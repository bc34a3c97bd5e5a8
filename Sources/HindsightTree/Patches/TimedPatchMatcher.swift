/// Compares what reducers did with the text that ``TimedPatches`` describes, entry by entry, without parsing it.
///
/// Costs writing the operations, a fraction of parsing them.
package struct TimedPatchMatcher {
    private let text: [UInt8]
    /// The end of the entries that have matched.
    private var end = 0
    /// The operations so far, as they are written.
    private var writer = JSONWriter()

    package init(_ text: [UInt8]) {
        self.text = text
        writer.bytes.reserveCapacity(text.count)
    }

    /// Whether the next entry has these changes, written as this version writes them. If so, passes it.
    package mutating func matchNext(_ patch: Patch) -> Bool {
        var at = end
        func pass(_ byte: UInt8) -> Bool {
            guard at < text.count, text[at] == byte else { return false }
            at += 1
            return true
        }
        guard pass(UInt8(ascii: end == 0 ? "[" : ",")) else { return false }
        if !patch.isEmpty, !pass(UInt8(ascii: "[")) { return false }
        let duration = at
        while at < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[at] { at += 1 }
        guard at > duration else { return false }
        if !patch.isEmpty {
            let start = writer.bytes.count
            writer.write(compact: patch, isFirst: false)
            writer.bytes.append(UInt8(ascii: "]"))
            guard continues(at, as: start) else { return false }
            at += writer.bytes.count - start
        }
        guard at < text.count, text[at] == UInt8(ascii: ",") || text[at] == UInt8(ascii: "]") else { return false }
        end = at
        return true
    }

    /// Whether the text continues as what was written from `start` on.
    private func continues(_ offset: Int, as start: Int) -> Bool {
        let count = writer.bytes.count - start
        guard count <= text.count - offset else { return false }
        return text.withUnsafeBufferPointer { text in
            writer.bytes.withUnsafeBufferPointer { written in
                written.part(start..<start + count).hasSameBytes(as: text.part(offset..<offset + count))
            }
        }
    }

    /// Whether all entries have matched.
    package var isAtEnd: Bool { end == text.count - 1 && text[end] == UInt8(ascii: "]") }
}
