import HindsightStore

/// Encodes records. Numbers are LEB128; a text is its length and its UTF-8 bytes.
///
/// The encoder keeps its memory for the next record, unless the record was large.
package struct JournalEncoder {
    private var memory: [UInt8] = []
    /// The size of the record in bytes.
    package private(set) var count = 0

    private static var maxKept: Int { 1 << 20 }

    package init() {}

    package mutating func write(_ action: DispatchedAction) {
        var most = (9 + action.adopted.count) * JournalBytes.maxNumberLength + 2 + action.type.utf8.count
        most += (action.origin?.file.utf8.count ?? 0) + (action.payload?.utf8.count ?? 0)
        most += action.problem?.utf8.count ?? 0
        most += Self.maxThreadSize
        fill(most) { bytes in
            bytes.put(action.seq)
            bytes.put(action.parent ?? 0)
            bytes.put(action.adopted.count)
            for seq in action.adopted { bytes.put(seq) }
            bytes.put(Int(action.at))
            bytes.put(action.type)
            bytes.put(action.origin?.line ?? 0)
            bytes.put(action.origin?.file ?? "")
            bytes.put(ifThere: action.payload)
            bytes.put(ifThere: action.problem)
            switch action.thread {
            // No bytes say that it is not known.
            case .unknown: break
            case .unchanged: bytes.put(0 as Int)
            case .thread(let thread):
                bytes.put(thread.number)
                bytes.put(ifThere: thread.name)
                bytes.put(ifThere: thread.task)
            }
        }
    }

    /// The size of the longest thread: its number, and two names with their flags and lengths.
    private static let maxThreadSize =
        3 * JournalBytes.maxNumberLength + 2 * (1 + DispatchingThread.maxNameLength)

    package mutating func write(done seq: Int, duration: Int64) {
        fill(2 * JournalBytes.maxNumberLength) { bytes in
            bytes.put(seq)
            bytes.put(Int(duration))
        }
    }

    package mutating func write(_ note: JournalNote) {
        fill(5 * JournalBytes.maxNumberLength + note.text.utf8.count) { bytes in
            bytes.put(note.id)
            bytes.put(note.seq)
            bytes.put(note.reducer.map { $0 + 1 } ?? 0)
            bytes.put(Int(note.at))
            bytes.put(note.text)
        }
    }

    /// A copy of the record's bytes.
    package var bytes: [UInt8] { Array(memory.prefix(count)) }

    /// The record's bytes.
    package func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        memory.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    @inline(__always)
    private mutating func fill(_ most: Int, _ body: (inout JournalBytes) -> Void) {
        if memory.count < most || memory.count > max(most, Self.maxKept) {
            memory = [UInt8](repeating: 0, count: max(256, most))
        }
        count = memory.withUnsafeMutableBufferPointer { memory in
            var bytes = JournalBytes(memory)
            body(&bytes)
            return bytes.count
        }
    }
}

/// A buffer for bytes.
///
/// Sound: each write checks that it lies within the memory, which outlives this value.
private struct JournalBytes {
    private let memory: UnsafeMutableBufferPointer<UInt8>
    package private(set) var count = 0

    /// The longest encoded number in bytes.
    package static var maxNumberLength: Int { 10 }

    package init(_ memory: UnsafeMutableBufferPointer<UInt8>) { self.memory = memory }

    @inline(__always)
    package mutating func put(_ byte: UInt8) {
        precondition(count < memory.count, "a record longer than was thought")
        memory[count] = byte
        count += 1
    }

    @inline(__always)
    package mutating func put(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number))
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(rest))
    }

    package mutating func put(_ text: String) {
        let utf8 = text.utf8
        put(utf8.count)
        let isCopied: Void? = utf8.withContiguousStorageIfAvailable { text in
            precondition(text.count <= memory.count - count, "a record longer than was thought")
            _ = UnsafeMutableBufferPointer(rebasing: memory[count...]).update(from: text)
            count += text.count
        }
        if isCopied == nil { for byte in utf8 { put(byte) } }
    }

    package mutating func put(ifThere text: String?) {
        put(text == nil ? 0 as UInt8 : 1)
        if let text { put(text) }
    }
}

/// Decodes what ``JournalEncoder`` writes; `nil` for anything else. Never reads beyond its bytes.
package struct JournalDecoder {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package mutating func action() -> DispatchedAction? {
        guard let seq = number(), seq > 0, let parent = number(), let count = number(), count <= rest.count else {
            return nil
        }
        var adopted: [Int] = []
        for _ in 0..<max(0, count) {
            guard let seq = number() else { return nil }
            adopted.append(seq)
        }
        guard let at = number(), let type = text(), let line = number(), let file = text(),
            let payload = textIfThere(), let problem = textIfThere(), let thread = thread()
        else { return nil }
        return DispatchedAction(
            seq: seq,
            parent: parent == 0 ? nil : parent,
            adopted: adopted,
            type: type,
            payload: payload,
            at: Int64(at),
            origin: file.isEmpty ? nil : Origin(file: file, line: line),
            problem: problem,
            thread: thread
        )
    }

    private mutating func thread() -> ThreadChange? {
        if rest.isEmpty { return .unknown }
        guard let number = number(), number >= 0 else { return nil }
        if number == 0 { return .unchanged }
        guard let name = textIfThere(), let task = textIfThere() else { return nil }
        return .thread(DispatchingThread(number: number, name: name, task: task))
    }

    package mutating func done() -> (seq: Int, duration: Int64)? {
        guard let seq = number(), let duration = number() else { return nil }
        return (seq, Int64(duration))
    }

    package mutating func note() -> JournalNote? {
        guard let id = number(), id > 0, let seq = number(), 0...RecordingPosition.lastPossibleAction ~= seq,
            let reducer = number(), 0...(1 << 14) ~= reducer, let at = number(), let text = text()
        else { return nil }
        return JournalNote(id: id, seq: seq, reducer: reducer == 0 ? nil : reducer - 1, text: text, at: Int64(at))
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
