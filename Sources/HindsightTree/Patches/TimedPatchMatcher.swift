/// Compares what reducers did with the text that ``TimedPatches`` describes, entry by entry, without parsing it.
///
/// Costs writing the operations, a fraction of parsing them.
package struct TimedPatchMatcher {
    private let text: [UInt8]
    /// The end of the entries that have matched.
    private var end = 0
    private var writer = JSONWriter()

    package init(_ text: [UInt8]) { self.text = text }

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
            writer.bytes.removeAll(keepingCapacity: true)
            writer.write(compact: patch, isFirst: false)
            writer.bytes.append(UInt8(ascii: "]"))
            guard has(writer.bytes, at: at) else { return false }
            at += writer.bytes.count
        }
        guard at < text.count, text[at] == UInt8(ascii: ",") || text[at] == UInt8(ascii: "]") else { return false }
        end = at
        return true
    }

    /// Whether the text continues with some bytes.
    private func has(_ bytes: [UInt8], at offset: Int) -> Bool {
        guard bytes.count <= text.count - offset else { return false }
        return text.withUnsafeBufferPointer { text in
            bytes.withUnsafeBufferPointer { bytes in
                UnsafeBufferPointer(rebasing: text[offset..<offset + bytes.count]).hasSameBytes(as: bytes)
            }
        }
    }

    /// Whether all entries have matched.
    package var isAtEnd: Bool { end == text.count - 1 && text[end] == UInt8(ascii: "]") }
}
