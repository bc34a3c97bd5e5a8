import HindsightTree

/// A text that edits change, and how often it contains another one.
///
/// The bytes stand in two stacks around the place of the last edit, so that an edit costs its own length and the distance
/// from the one before, not the length of the text.
struct EditedText {
    /// The bytes before the last edit.
    private var front: [UInt8]
    /// The bytes after it, the last one first.
    private var back: [UInt8] = []
    private let needle: [UInt8]
    private var count = 0

    /// - Parameter needle: Must not be empty.
    init(_ text: String, countingOccurrencesOf needle: [UInt8]) {
        front = Array(text.utf8)
        self.needle = needle
        count = occurrences(in: front)
    }

    var isMatch: Bool { count > 0 }
    var text: String { String(decoding: front + back.reversed(), as: UTF8.self) }

    /// Replaces some bytes.
    ///
    /// - Returns: Whether the bytes to remove are there.
    mutating func edit(at place: Int, removing removed: String, inserting inserted: String) -> Bool {
        guard place >= 0, place <= front.count + back.count else { return false }
        if place < front.count {
            back += front[place...].reversed()
            front.removeLast(front.count - place)
        } else {
            let distance = place - front.count
            front += back.suffix(distance).reversed()
            back.removeLast(distance)
        }
        let removed = Array(removed.utf8)
        guard back.suffix(removed.count).reversed().elementsEqual(removed) else { return false }
        let before = Array(front.suffix(needle.count - 1))
        count -= occurrences(in: before + back.suffix(removed.count + needle.count - 1).reversed())
        back.removeLast(removed.count)
        front += inserted.utf8
        count += occurrences(in: before + inserted.utf8 + back.suffix(needle.count - 1).reversed())
        return true
    }

    /// How often the needle occurs in some bytes.
    private func occurrences(in bytes: [UInt8]) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var count = 0
            var start = 0
            let sought = ByteNeedle(needle)
            while let offset = sought.firstOffset(in: UnsafeBufferPointer(rebasing: bytes[start...])) {
                count += 1
                start += offset + 1
            }
            return count
        }
    }
}

/// The texts that edits have changed, kept from edit to edit.
struct EditedTexts {
    private var texts: [(path: NodePath, bytes: [UInt8], text: EditedText)] = []
    private let needle: [UInt8]

    /// More texts than these are read from the state.
    private static let maxTexts = 64

    init(searchingFor needle: [UInt8]) { self.needle = needle }

    var isEmpty: Bool { texts.isEmpty }

    /// Whether an operation edits a text that is kept.
    func has(_ operation: TimedPatches.ScannedOperation) -> Bool {
        !operation.isEscaped && texts.contains { $0.bytes.elementsEqual(operation.path) }
    }

    /// Whether an operation may change one of the texts, or move it.
    func areTouched(by operation: TimedPatches.ScannedOperation) -> Bool {
        if texts.isEmpty { return false }
        if operation.isEscaped { return true }
        return texts.contains { text in
            // What an operation does to a container, it does to the texts inside.
            let path = operation.path
            let end = operation.movesElements ? path.lastIndex(of: UInt8(ascii: "/")) ?? 0 : path.count
            return text.bytes.starts(with: path[..<end])
        }
    }

    /// Follows an edit.
    ///
    /// - Parameter before: Reads the text before it; `nil` if none is there. Called only if the text is not known.
    /// - Returns: Whether the text contained the needle; `nil` if the edit does not fit.
    mutating func edit(
        _ path: NodePath,
        at place: Int,
        _ removed: String,
        _ inserted: String,
        before: () throws -> String?
    ) throws -> Bool? {
        var index = texts.firstIndex { $0.path == path }
        if index == nil {
            guard let text = try before() else { return nil }
            if texts.count >= Self.maxTexts { texts.removeFirst() }
            let known = EditedText(text, countingOccurrencesOf: needle)
            texts.append((path, Array(path.description.utf8), known))
            index = texts.count - 1
        }
        guard let index else { return nil }
        let wasMatch = texts[index].text.isMatch
        guard texts[index].text.edit(at: place, removing: removed, inserting: inserted) else {
            texts.remove(at: index)
            return nil
        }
        return wasMatch
    }

    /// The text at a path, if it contains the needle.
    func match(at path: NodePath) -> String? {
        texts.first { $0.path == path }.flatMap { $0.text.isMatch ? $0.text.text : nil }
    }

    /// Forgets the texts that an operation changes or moves.
    mutating func forget(changedBy operation: Patch.Operation) {
        if texts.isEmpty { return }
        let region = operation.region
        texts.removeAll { region.contains($0.path) }
    }
}
