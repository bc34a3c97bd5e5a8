extension TimedPatches {
    /// An operation that a scan has found. Its values are not parsed.
    package struct ScannedOperation {
        /// The index of the entry: 0 for the first reducer.
        package let entry: Int
        /// Whether the entry has a duration, and so is a reducer's.
        package let isTimed: Bool
        /// The first letter: that of an ``Patch/Operation/Kind``.
        package let kind: UInt8
        /// The path, without the quotes of its JSON string.
        package let path: UnsafeBufferPointer<UInt8>
        /// Whether the path has escapes of JSON.
        package let isEscaped: Bool
        /// The whole operation.
        package let text: UnsafeBufferPointer<UInt8>
    }

    /// Finds the operations in the entries of one action, in order. Costs one pass over the bytes, and no memory.
    ///
    /// - Parameters:
    ///   - body: Called with each operation.
    ///   - endOfEntry: Called after the operations of each entry, with its index and its duration; `nil` if no reducer made
    ///     the change.
    /// - Throws: ``TreeError`` with the code `badJSON` or `badPatch` if the text does not have the form that ``write(_:)``
    ///   gives it. Values are only skipped, so they may be malformed.
    package static func scan(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ body: (ScannedOperation) throws(TreeError) -> Void,
        endOfEntry: (_ entry: Int, _ duration: Int64?) -> Void = { _, _ in }
    ) throws(TreeError) {
        try JSONReader.read(bytes) { reader throws(TreeError) in
            var entry = 0
            try reader.readElements { reader throws(TreeError) in
                var duration: Int64?
                if reader.next == UInt8(ascii: "[") {
                    var isFirst = true
                    try reader.readElements { reader throws(TreeError) in
                        if isFirst {
                            duration = try reader.readDuration()
                            isFirst = false
                        } else {
                            try body(try reader.scanOperation(entry, isTimed: duration != nil))
                        }
                    }
                } else {
                    duration = try reader.readDuration()
                }
                endOfEntry(entry, duration)
                entry += 1
            }
        }
    }

    /// Checks that JSON text is one value, without parsing it. Costs one pass over the bytes, and no memory.
    ///
    /// - Throws: ``TreeError`` with the code `badJSON` if a string, an array or an object does not end, or if more
    ///   follows. What is in between is only skipped, so it may be malformed.
    package static func checkEnd(of value: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        try JSONReader.read(value) { reader throws(TreeError) in try reader.skipValue() }
    }

    /// Reads some operations in the entries of one action. Durations are 0, or `nil` if no reducer made the change;
    /// entries after the last operation are left out.
    ///
    /// - Throws: ``TreeError`` with the code `badJSON` or `badPatch`.
    package static func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        where isWanted: (ScannedOperation) -> Bool
    ) throws(TreeError) -> [TimedPatch] {
        var entries: [TimedPatch] = []
        try scan(bytes) { operation throws(TreeError) in
            guard isWanted(operation) else { return }
            while entries.count <= operation.entry { entries.append(TimedPatch(duration: 0, patch: Patch())) }
            if !operation.isTimed { entries[operation.entry].duration = nil }
            let read = try JSONReader.read(operation.text) { reader throws(TreeError) in try reader.readOperation() }
            entries[operation.entry].patch.operations.append(read)
        }
        return entries
    }
}

extension JSONReader {
    /// Reads the head of an operation, and skips the rest.
    fileprivate mutating func scanOperation(
        _ entry: Int,
        isTimed: Bool
    ) throws(TreeError) -> TimedPatches.ScannedOperation {
        let start = at
        var head: (contents: UnsafeBufferPointer<UInt8>, isEscaped: Bool)?
        try readElements { reader throws(TreeError) in
            if head != nil { return try reader.skipValue() }
            guard reader.next == UInt8(ascii: "\"") else { throw reader.failure("expected a letter and a path") }
            head = try reader.skipString()
        }
        guard let head, let kind = head.contents.first else { throw failure("expected a letter and a path", at: start) }
        let path = head.contents.part(1..<head.contents.count)
        guard path.isEmpty || path[0] == UInt8(ascii: "/") || head.isEscaped else {
            throw failure("expected a path", at: start)
        }
        return TimedPatches.ScannedOperation(
            entry: entry,
            isTimed: isTimed,
            kind: kind,
            path: path,
            isEscaped: head.isEscaped,
            text: bytes.part(start..<at)
        )
    }

    /// Moves behind a string, whose opening quote is at `at`.
    private mutating func skipString() throws(TreeError) -> (contents: UnsafeBufferPointer<UInt8>, isEscaped: Bool) {
        at += 1
        let start = at
        var isEscaped = false
        while true {
            at = bytes.endOfStringRun(from: at).end
            switch next {
            case UInt8(ascii: "\""):
                at += 1
                return (bytes.part(start..<at - 1), isEscaped)
            case UInt8(ascii: "\\"):
                isEscaped = true
                at += 2
            default: throw failure("expected \" at the end of a string")
            }
        }
    }

    /// Moves behind a value, of which only strings and brackets are checked.
    fileprivate mutating func skipValue() throws(TreeError) {
        var depth = 0
        repeat {
            skipSpace()
            switch next {
            case UInt8(ascii: "\""): _ = try skipString()
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                at += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { throw failure("expected a value") }
                if next == UInt8(ascii: "]") || next == UInt8(ascii: "}") { depth -= 1 }
                at += 1
            case nil: throw failure("expected a value")
            default: skipWord()
            }
        } while depth > 0
    }

    /// Moves behind a number, or `true`, `false` or `null`.
    private mutating func skipWord() {
        while let byte = next {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "\""),
                0x20, 0x09, 0x0A, 0x0D:
                return
            default: at += 1
            }
        }
    }
}
