/// What one reducer changed, and how long it took.
package struct TimedPatch: Sendable, Hashable {
    /// In nanoseconds; `nil` if no reducer made the change.
    package var duration: Int64?
    package var patch: Patch

    package init(duration: Int64?, patch: Patch) {
        self.duration = duration
        self.patch = patch
    }
}

/// What all reducers did in one action, as recordings store it.
///
/// A JSON array with one entry for each reducer, in the order in which they ran: its duration alone if it changed
/// nothing, otherwise an array of the duration and the operations in the form of ``Patch/compactJSON``:
/// `[810,[1200,["e/text","","a",5]],420]`.
package enum TimedPatches {
    /// The entries as text.
    package static func write(_ entries: [TimedPatch]) -> TimedPatchText {
        var writer = TimedPatchWriter()
        for entry in entries { writer.add(entry.duration, entry.patch) }
        return writer.finish()
    }

    /// Reads the entries of one action.
    ///
    /// - Throws: ``TreeError`` with the code `badJSON` or `badPatch`, and the offset.
    package static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) -> [TimedPatch] {
        try JSONReader.read(bytes) { reader throws(TreeError) in
            var entries: [TimedPatch] = []
            try reader.readElements { reader throws(TreeError) in entries.append(try reader.readTimedPatch()) }
            return entries
        }
    }

    /// The number of entries of one action with operations. Only counts brackets, so malformed text gives some number.
    package static func countChanges(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var (at, depth, changes) = (0, 0, 0)
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth == 2 { changes += 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
            case UInt8(ascii: "\""):
                at = bytes.endOfStringRun(from: at + 1).end
                while at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\") {
                    at = bytes.endOfStringRun(from: at + 2).end
                }
            default:
                break
            }
            at += 1
        }
        return changes
    }
}

/// What all reducers did in one action, as text.
package struct TimedPatchText {
    package var text: String
    /// The number of bytes in the text that are operations.
    package var operationBytes: Int
    /// The number of bytes by which the state's text grew.
    package var growth: Int
}

/// Writes the form that ``TimedPatches`` describes, entry by entry. Reuses its memory for the next action.
package struct TimedPatchWriter {
    private var writer = JSONWriter()
    private var operationBytes = 0

    package init() { clear() }

    /// Starts the text of another action.
    package mutating func clear() {
        writer.bytes.removeAll(keepingCapacity: true)
        writer.bytes.append(UInt8(ascii: "["))
        operationBytes = 0
        writer.growth = 0
    }

    /// Adds what a reducer did and how long it took; `nil` if no reducer did it.
    package mutating func add(_ duration: Int64?, _ patch: Patch) {
        if writer.bytes.count > 1 { writer.bytes.append(UInt8(ascii: ",")) }
        if !patch.isEmpty { writer.bytes.append(UInt8(ascii: "[")) }
        if let duration {
            writer.write(int: Int(duration))
        } else {
            writer.write(ascii: "null")
        }
        if patch.isEmpty { return }
        let start = writer.bytes.count
        writer.write(compact: patch, isFirst: false)
        operationBytes += writer.bytes.count - start
        writer.bytes.append(UInt8(ascii: "]"))
    }

    /// Ends the text.
    package mutating func finish() -> TimedPatchText {
        writer.bytes.append(UInt8(ascii: "]"))
        return TimedPatchText(text: writer.text, operationBytes: operationBytes, growth: writer.growth)
    }
}

extension JSONReader {
    fileprivate mutating func readTimedPatch() throws(TreeError) -> TimedPatch {
        guard next == UInt8(ascii: "[") else { return TimedPatch(duration: try readDuration(), patch: Patch()) }
        var entry = TimedPatch(duration: nil, patch: Patch())
        let start = at
        var isFirst = true
        try readElements { reader throws(TreeError) in
            if isFirst {
                entry.duration = try reader.readDuration()
                isFirst = false
            } else {
                entry.patch.operations.append(try reader.readOperation())
            }
        }
        if isFirst { throw mismatch("expected what a reducer did to begin with its duration", start) }
        return entry
    }

    private mutating func readDuration() throws(TreeError) -> Int64? {
        let start = at
        switch try readValue(depth: 2) {
        case .null: return nil
        case .int(let duration): return Int64(duration)
        default: throw mismatch("expected a duration, a whole number of nanoseconds", start)
        }
    }
}
