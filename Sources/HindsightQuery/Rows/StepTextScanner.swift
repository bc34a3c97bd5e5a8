/// Reads the text of a column `steps` operation by operation, without building values. `TimedPatches` describes the form.
///
/// Checks only what it needs: text that is no JSON may pass.
///
/// Sound: each access to `bytes` is behind a check of `at` against their count.
struct StepTextScanner {
    /// What one reducer did.
    struct Entry {
        /// In nanoseconds; `nil` if no reducer made the change.
        var duration: Int64?
        /// The number of operations.
        var operations = 0
        /// The bytes of the operations.
        var bytes = 0
    }

    /// One operation.
    struct Operation {
        /// The letter of its kind.
        var kind: UInt8
        /// The path as it stands in the JSON string.
        var path: UnsafeBufferPointer<UInt8>
        var bytes: Int
    }

    /// The text does not have the form.
    struct Malformed: Error, CustomStringConvertible {
        let offset: Int
        var description: String { "expected an array with what each reducer did (byte \(offset) of the text)" }
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Calls `entry` after the operations of each reducer, in order.
    static func scan(
        _ bytes: UnsafeBufferPointer<UInt8>,
        operation: (_ index: Int, Operation) -> Void,
        entry: (_ index: Int, Entry) -> Void
    ) throws(Malformed) {
        var scanner = StepTextScanner(bytes)
        var index = 0
        try scanner.readElements { scanner throws(Malformed) in
            entry(index, try scanner.readEntry(index, operation))
            index += 1
        }
        guard scanner.next == nil else { throw scanner.malformed }
    }

    private var malformed: Malformed { Malformed(offset: at) }

    /// The next byte that is not space; `nil` at the end.
    private var next: UInt8? {
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

    private mutating func readElements(
        _ body: (inout StepTextScanner) throws(Malformed) -> Void
    ) throws(Malformed) {
        guard next == UInt8(ascii: "[") else { throw malformed }
        at += 1
        if next == UInt8(ascii: "]") {
            at += 1
            return
        }
        while true {
            try body(&self)
            switch next {
            case UInt8(ascii: ","): at += 1
            case UInt8(ascii: "]"):
                at += 1
                return
            default: throw malformed
            }
        }
    }

    private mutating func readEntry(
        _ index: Int,
        _ operation: (Int, Operation) -> Void
    ) throws(Malformed) -> Entry {
        var entry = Entry()
        guard next == UInt8(ascii: "[") else {
            entry.duration = try readDuration()
            return entry
        }
        var isFirst = true
        try readElements { scanner throws(Malformed) in
            if isFirst {
                entry.duration = try scanner.readDuration()
                isFirst = false
            } else {
                let one = try scanner.readOperation()
                entry.operations += 1
                entry.bytes += one.bytes
                operation(index, one)
            }
        }
        return entry
    }

    private mutating func readDuration() throws(Malformed) -> Int64? {
        guard let first = next else { throw malformed }
        if first == UInt8(ascii: "n") {
            at += 4
            return nil
        }
        let start = at
        var value: Int64 = 0
        if first == UInt8(ascii: "-") { at += 1 }
        while at < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[at] {
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(Int64(bytes[at] - UInt8(ascii: "0")))
            guard !isTooLarge, !overflows else { throw Malformed(offset: start) }
            value = sum
            at += 1
        }
        guard at > start else { throw malformed }
        return first == UInt8(ascii: "-") ? -value : value
    }

    private mutating func readOperation() throws(Malformed) -> Operation {
        guard next == UInt8(ascii: "[") else { throw malformed }
        let start = at
        at += 1
        guard next == UInt8(ascii: "\"") else { throw malformed }
        let head = at + 1
        try skipString()
        guard at - 1 > head else { throw Malformed(offset: head) }
        let path = UnsafeBufferPointer(rebasing: bytes[(head + 1)..<(at - 1)])
        var depth = 1
        while depth > 0 {
            guard at < bytes.count else { throw malformed }
            switch bytes[at] {
            case UInt8(ascii: "\""):
                try skipString()
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            at += 1
        }
        return Operation(kind: bytes[head], path: path, bytes: at - start)
    }

    /// Skips a string, whose opening quote is at `at`.
    private mutating func skipString() throws(Malformed) {
        at += 1
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\""):
                at += 1
                return
            case UInt8(ascii: "\\"): at += 2
            default: at += 1
            }
        }
        throw malformed
    }
}
