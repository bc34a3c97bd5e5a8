import HindsightStore

/// What a journal's record says.
enum JournalEntry: Equatable {
    /// An action reached the reducers.
    case action(DispatchedAction)
    /// All reducers of an action have run, in so many nanoseconds.
    case done(seq: Int, duration: Int64)
}

/// Writes what records are made of. Numbers are LEB128, texts are their length and their UTF-8.
struct JournalEncoder {
    var bytes: [UInt8] = []

    mutating func write(_ action: DispatchedAction) {
        write(number: action.seq)
        write(number: action.parent ?? 0)
        write(number: action.adopted.count)
        for seq in action.adopted { write(number: seq) }
        write(number: Int(action.at))
        write(action.type)
        write(number: action.origin?.line ?? 0)
        write(action.origin?.file ?? "")
        write(ifThere: action.payload)
        write(ifThere: action.problem)
    }

    mutating func write(done seq: Int, duration: Int64) {
        write(number: seq)
        write(number: Int(duration))
    }

    private mutating func write(number: Int) {
        var rest = UInt64(bitPattern: Int64(number))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            write(number: utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    private mutating func write(ifThere text: String?) {
        bytes.append(text == nil ? 0 : 1)
        if let text { write(text) }
    }
}

/// Reads what ``JournalEncoder`` writes; `nil` for anything else. Never looks beyond its bytes.
struct JournalDecoder {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func action() -> DispatchedAction? {
        guard let seq = number(), seq > 0, let parent = number(), let count = number(), count <= rest.count else {
            return nil
        }
        var adopted: [Int] = []
        for _ in 0..<max(0, count) {
            guard let seq = number() else { return nil }
            adopted.append(seq)
        }
        guard let at = number(), let type = text(), let line = number(), let file = text(),
            let payload = textIfThere(), let problem = textIfThere()
        else { return nil }
        return DispatchedAction(
            seq: seq,
            parent: parent == 0 ? nil : parent,
            adopted: adopted,
            type: type,
            payload: payload,
            at: Int64(at),
            origin: file.isEmpty ? nil : Origin(file: file, line: line),
            problem: problem
        )
    }

    mutating func done() -> (seq: Int, duration: Int64)? {
        guard let seq = number(), let duration = number() else { return nil }
        return (seq, Int64(duration))
    }

    private mutating func number() -> Int? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int(Int64(bitPattern: value)) }
        }
        return nil
    }

    private mutating func text() -> String? {
        guard let count = number(), count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return String(validating: rest.prefix(count), as: UTF8.self)
    }

    private mutating func textIfThere() -> String?? {
        guard let flag = rest.popFirst() else { return nil }
        if flag == 0 { return .some(nil) }
        guard let text = text() else { return nil }
        return .some(text)
    }
}
