extension ManifestText {
    /// The manifest with further targets at the end of its list.
    ///
    /// - Parameter targets: The Swift text of each, without indentation and without a comma after it.
    /// - Returns: `nil` if the manifest does not list its targets in `Package(…)`, for example because a variable does.
    func adding(targets: [String]) -> ManifestText? {
        var manifest = self
        if let array = array(of: "targets") {
            manifest.append(targets, to: array)
            return manifest
        }
        // The targets come after the dependencies.
        guard !hasArgument("targets"), let dependencies = array(of: "dependencies") else { return nil }
        manifest.insert(",\n\(indentation(at: dependencies.close))targets: []", at: dependencies.close + 1)
        return manifest.array(of: "targets") == nil ? nil : manifest.adding(targets: targets)
    }

    private mutating func append(_ elements: [String], to array: (open: Int, close: Int)) {
        let line = lineStart(of: array.close)
        let isAlone = line > array.open && bytes[line..<array.close].allSatisfy(Self.isSpace)
        let outer = indentation(at: isAlone ? array.close : array.open)
        let inner = outer + "    "
        let text = elements.map { element in
            element.split(separator: "\n").map { inner + $0 + "\n" }.joined().dropLast() + ",\n"
        }.joined()
        let last = lastCode(from: array.open, to: array.close)
        // The later place first, so that the earlier one stays valid.
        insert(isAlone ? text : "\n\(text)\(outer)", at: isAlone ? line : array.close)
        if last != array.open, bytes[last] != UInt8(ascii: ",") { insert(",", at: last + 1) }
    }

    /// The last place before `end` that is neither white space nor in a comment.
    private func lastCode(from start: Int, to end: Int) -> Int {
        var (place, last) = (start, start)
        while place < end {
            if let commentEnd = commentEnd(at: place) {
                place = commentEnd
            } else if let stringEnd = endOfStringOrComment(at: place) {
                last = stringEnd - 1
                place = stringEnd
            } else {
                if !Self.isSpace(bytes[place]) { last = place }
                place += 1
            }
        }
        return last
    }

    private func lineStart(of place: Int) -> Int {
        bytes[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    }

    /// The white space at the start of the line.
    private func indentation(at place: Int) -> String {
        let spaces = bytes[lineStart(of: place)...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return String(decoding: spaces, as: UTF8.self)
    }
}
