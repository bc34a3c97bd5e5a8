extension Patch {
    /// The patch as recordings store it: a shorter form of JSON.
    ///
    /// An array with an array for each operation. It starts with a string of the operation's first letter (`d` for
    /// remove) and its path. The old value, the new value and the index or offset follow, if there are any:
    ///
    /// | operation | compact |
    /// |---|---|
    /// | add | `["a/key",value,at]`, or `["a/key",value]` |
    /// | remove | `["d/key",old,at]`, or `["d/key",old]` |
    /// | replace | `["r/key",old,value]` |
    /// | splice | `["s/list",[removed…],[inserted…],at]` |
    /// | edit | `["e/text","removed","inserted",at]` |
    package var compactJSON: String {
        var writer = JSONWriter()
        writer.bytes.append(UInt8(ascii: "["))
        writer.write(compact: self, isFirst: true)
        writer.bytes.append(UInt8(ascii: "]"))
        return writer.text
    }

    /// Reads what ``compactJSON`` writes.
    ///
    /// - Throws: ``TreeError`` with the code ``TreeError/Code/badJSON`` if the text is no JSON, or
    ///   ``TreeError/Code/badPatch`` if it is no patch in this form.
    package init(compactJSON: String) throws(TreeError) {
        operations = try Array(compactJSON.utf8).withUnsafeBufferPointer { bytes throws(TreeError) in
            try JSONReader.read(bytes) { reader throws(TreeError) in
                var operations: [Operation] = []
                try reader.readElements { reader throws(TreeError) in operations.append(try reader.readOperation()) }
                return operations
            }
        }
    }
}

extension JSONWriter {
    /// Writes a patch's operations in their compact form, without the outer brackets.
    mutating func write(compact patch: Patch, isFirst: Bool) {
        var isFirst = isFirst
        for operation in patch.operations {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(compact: operation)
        }
    }

    private mutating func write(compact operation: Patch.Operation) {
        bytes.append(UInt8(ascii: "["))
        switch operation {
        case .add(let path, let value, let at):
            write(UInt8(ascii: "a"), path)
            write(new: value)
            if let at { write(next: at) }
        case .remove(let path, let old, let at):
            write(UInt8(ascii: "d"), path)
            write(old: old)
            if let at { write(next: at) }
        case .replace(let path, let old, let new):
            write(UInt8(ascii: "r"), path)
            write(old: old)
            write(new: new)
        case .splice(let path, let at, let remove, let insert):
            write(UInt8(ascii: "s"), path)
            write(old: .array(remove))
            write(new: .array(insert))
            write(next: at)
        case .edit(let path, let at, let remove, let insert):
            write(UInt8(ascii: "e"), path)
            write(old: remove)
            write(new: insert)
            write(next: at)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ letter: UInt8, _ path: NodePath) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(letter)
        write(inString: path)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(old value: Node) {
        let start = bytes.count
        bytes.append(UInt8(ascii: ","))
        write(value)
        growth -= bytes.count - start
    }

    private mutating func write(new value: Node) {
        let start = bytes.count
        bytes.append(UInt8(ascii: ","))
        write(value)
        growth += bytes.count - start
    }

    private mutating func write(next value: Int) {
        bytes.append(UInt8(ascii: ","))
        write(int: value)
    }
}

extension JSONReader {
    /// Reads one operation in its compact form.
    mutating func readOperation() throws(TreeError) -> Patch.Operation {
        let start = at
        var parts: [Node] = []
        try readElements { reader throws(TreeError) in parts.append(try reader.readValue(depth: 2)) }
        guard case .string(let head)? = parts.first, let letter = head.utf8.first, letter < 0x80,
            let path = NodePath(String(Substring(head.utf8.dropFirst())))
        else {
            throw mismatch("expected an operation that begins with its letter and path, such as \"r/count\"", start)
        }

        switch (UnicodeScalar(letter), parts.count) {
        case ("a", 2), ("a", 3): return .add(path: path, value: parts[1], at: try place(parts, 2, start))
        case ("d", 2), ("d", 3): return .remove(path: path, old: parts[1], at: try place(parts, 2, start))
        case ("r", 3): return .replace(path: path, old: parts[1], new: parts[2])
        case ("s", 4):
            guard case .array(let remove) = parts[1], case .array(let insert) = parts[2],
                let at = try place(parts, 3, start)
            else { throw mismatch("expected a splice to have two arrays and a place", start) }
            return .splice(path: path, at: at, remove: remove, insert: insert)
        case ("e", 4):
            switch (parts[1], parts[2]) {
            case (.string, .string), (.data, .data): break
            default: throw mismatch("expected an edit to have two strings, or both data", start)
            }
            guard let at = try place(parts, 3, start) else { throw mismatch("expected an edit to have a place", start) }
            return .edit(path: path, at: at, remove: parts[1], insert: parts[2])
        default:
            throw mismatch("expected an add, remove, replace, splice or edit with all its values", start)
        }
    }

    private func place(_ parts: [Node], _ index: Int, _ start: Int) throws(TreeError) -> Int? {
        guard index < parts.count else { return nil }
        guard case .int(let place) = parts[index], place >= 0 else {
            throw mismatch("expected a whole number from 0 up as the place of an operation", start)
        }
        return place
    }

    func mismatch(_ reason: String, _ offset: Int) -> TreeError {
        TreeError(.badPatch, offset: offset, reason)
    }
}
