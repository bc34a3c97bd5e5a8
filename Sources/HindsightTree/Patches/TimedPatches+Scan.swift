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

        /// Whether it adds or removes a value. If that is an element, those after it move.
        package var movesElements: Bool { kind == UInt8(ascii: "a") || kind == UInt8(ascii: "d") }

        /// The path of which it changes something: the array, if an element may have been added or removed.
        ///
        /// - Parameter path: The path of the operation, without escapes.
        package func place(at path: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
            guard movesElements, let slash = path.lastIndex(of: UInt8(ascii: "/")), slash + 1 < path.count,
                path[(slash + 1)...].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
            else { return path }
            return path.part(0..<slash)
        }
    }

    /// An entry that a scan has found. Its duration is not parsed.
    package struct ScannedEntry {
        /// The index: 0 for the first reducer.
        package let index: Int
        /// The duration as it is written, and where it begins.
        fileprivate let (duration, offset): (UnsafeBufferPointer<UInt8>, Int)
        /// The number of operations.
        package fileprivate(set) var operations = 0
        /// The bytes of the operations.
        package fileprivate(set) var bytes = 0

        /// The duration in nanoseconds; `nil` if no reducer made the change.
        package func nanoseconds() throws(TreeError) -> Int64? {
            if duration.first == UInt8(ascii: "n") { return nil }
            if let number = Int64(String(decoding: duration, as: UTF8.self)) { return number }
            throw TreeError(.badPatch, offset: offset, "expected a duration, a whole number of nanoseconds")
        }
    }

    /// Finds the operations in the entries of one action, in order. Costs one pass over the bytes, and no memory.
    ///
    /// - Parameter end: Called after the operations of each entry.
    /// - Throws: ``TreeError`` with the code `badPatch` if the text does not have the form that ``write(_:)`` gives it.
    ///   Values are only skipped, so they may be malformed.
    package static func scan(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ body: (ScannedOperation) throws -> Void,
        end: (ScannedEntry) throws -> Void = { _ in }
    ) throws {
        var scanner = StepScanner(bytes: bytes)
        try scanner.elements { scanner, index in
            guard scanner.next == UInt8(ascii: "[") else { return try end(scanner.entry(index)) }
            var entry: ScannedEntry?
            try scanner.elements { scanner, _ in
                guard let present = entry else { return entry = try scanner.entry(index) }
                let (kind, path, isEscaped, text) = try scanner.operation()
                entry?.operations += 1
                entry?.bytes += text.count
                try body(
                    ScannedOperation(
                        entry: index,
                        isTimed: present.duration.first != UInt8(ascii: "n"),
                        kind: kind,
                        path: path,
                        isEscaped: isEscaped,
                        text: text
                    )
                )
            }
            if let entry { try end(entry) }
        }
        guard scanner.next == nil else { throw scanner.failure("expected nothing after what the reducers did") }
    }

    /// Checks that JSON text is one value, without parsing it. Costs one pass over the bytes, and no memory.
    ///
    /// - Throws: ``TreeError`` with the code `badPatch` if a string, an array or an object does not end, or if more
    ///   follows. What is in between is only skipped, so it may be malformed.
    package static func checkEnd(of value: UnsafeBufferPointer<UInt8>) throws {
        var scanner = StepScanner(bytes: value)
        try scanner.skipValue()
        guard scanner.next == nil else { throw scanner.failure("expected nothing after the value") }
    }

    /// Reads some operations in the entries of one action. Durations are 0, or `nil` if no reducer made the change;
    /// entries after the last operation are left out.
    ///
    /// - Throws: ``TreeError`` with the code `badJSON` or `badPatch`, or the error of `isWanted`.
    package static func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        where isWanted: (ScannedOperation) throws -> Bool
    ) throws -> [TimedPatch] {
        var entries: [TimedPatch] = []
        try scan(bytes) { operation in
            guard try isWanted(operation) else { return }
            while entries.count <= operation.entry { entries.append(TimedPatch(duration: 0, patch: Patch())) }
            if !operation.isTimed { entries[operation.entry].duration = nil }
            let read = try JSONReader.read(operation.text) { reader throws(TreeError) in try reader.readOperation() }
            entries[operation.entry].patch.operations.append(read)
        }
        return entries
    }
}

/// Skips through JSON text.
private struct StepScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var at = 0

    /// The next byte that is no space; `nil` at the end.
    var next: UInt8? {
        mutating get {
            while at < bytes.count {
                switch bytes[at] {
                case 0x20, 0x09, 0x0A, 0x0D: at += 1
                case let byte: return byte
                }
            }
            return nil
        }
    }

    func failure(_ reason: String) -> TreeError { TreeError(.badPatch, offset: at, reason) }

    /// Calls `body` at each element of an array.
    mutating func elements(_ body: (inout StepScanner, _ index: Int) throws -> Void) throws {
        guard next == UInt8(ascii: "[") else { throw failure("expected an array") }
        at += 1
        if next == UInt8(ascii: "]") {
            at += 1
            return
        }
        var index = 0
        while true {
            try body(&self, index)
            index += 1
            switch next {
            case UInt8(ascii: ","): at += 1
            case UInt8(ascii: "]"):
                at += 1
                return
            default: throw failure("expected , or ] after an element")
            }
        }
    }

    /// Skips the duration with which an entry begins.
    mutating func entry(_ index: Int) throws -> TimedPatches.ScannedEntry {
        _ = next
        let start = at
        try skipValue()
        let duration = UnsafeBufferPointer(rebasing: bytes[start..<at])
        return TimedPatches.ScannedEntry(index: index, duration: duration, offset: start)
    }

    /// Reads the head of an operation, and skips the rest.
    mutating func operation() throws -> (
        kind: UInt8, path: UnsafeBufferPointer<UInt8>, isEscaped: Bool, text: UnsafeBufferPointer<UInt8>
    ) {
        guard next == UInt8(ascii: "[") else { throw failure("expected an operation") }
        let first = at
        at += 1
        guard next == UInt8(ascii: "\""), at + 2 < bytes.count else { throw failure("expected a letter and a path") }
        let (kind, start) = (bytes[at + 1], at + 2)
        at = start
        var isEscaped = false
        // The kind is a letter, so the string does not end before the path.
        let end = try endOfString(&isEscaped)
        let path = UnsafeBufferPointer(rebasing: bytes[start..<end])
        guard path.isEmpty || path[0] == UInt8(ascii: "/") || isEscaped else { throw failure("expected a path") }
        while true {
            switch next {
            case UInt8(ascii: ","):
                at += 1
                try skipValue()
            case UInt8(ascii: "]"):
                at += 1
                return (kind, path, isEscaped, UnsafeBufferPointer(rebasing: bytes[first..<at]))
            default: throw failure("expected , or ] in an operation")
            }
        }
    }

    /// Moves behind the closing quote of the string that `at` is in, and returns where that quote is.
    private mutating func endOfString(_ isEscaped: inout Bool) throws -> Int {
        while true {
            at = bytes.endOfStringRun(from: at).end
            guard at < bytes.count else { throw failure("expected \" at the end of a string") }
            switch bytes[at] {
            case UInt8(ascii: "\""):
                at += 1
                return at - 1
            case UInt8(ascii: "\\"):
                isEscaped = true
                at += 2
            default:
                throw failure("expected a control character to be escaped")
            }
        }
    }

    mutating func skipValue() throws {
        var depth = 0
        var ignored = false
        repeat {
            guard let byte = next else { throw failure("expected a value") }
            switch byte {
            case UInt8(ascii: "\""):
                at += 1
                _ = try endOfString(&ignored)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                at += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard depth > 0 else { throw failure("expected a value") }
                depth -= 1
                at += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { throw failure("expected a value") }
                at += 1
            default:
                skipWord()
            }
        } while depth > 0
    }

    /// Skips a number, or `true`, `false` or `null`.
    private mutating func skipWord() {
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "\""),
                0x20, 0x09, 0x0A, 0x0D:
                return
            default: at += 1
            }
        }
    }
}
