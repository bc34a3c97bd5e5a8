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
        // By index, since a loop over the operations would copy each.
        for index in patch.operations.indices {
            if !isFirst || index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(compact: patch.operations[index])
        }
    }

    private mutating func write(compact operation: Patch.Operation) {
        bytes.append(UInt8(ascii: "["))
        if case .replace(let path, let old, let new) = operation {
            // The most frequent kind, without a copy of its values.
            write(.replace, path)
            write(old: old)
            write(new: new)
        } else {
            let change = operation.change
            write(operation.kind, operation.path)
            if let old = change.old { write(old: old) }
            if let new = change.new { write(new: new) }
            if let at = change.at { write(next: at) }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ kind: Patch.Operation.Kind, _ path: NodePath) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: kind.rawValue))
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
        // The head, the old and the new value, and the place.
        parts.reserveCapacity(4)
        try readElements { reader throws(TreeError) in parts.append(try reader.readValue(depth: 2)) }
        guard case .string(var head)? = parts.first, let letter = head.utf8.first, letter < 0x80,
            let path = head.withUTF8({ NodePath(utf8: UnsafeBufferPointer(rebasing: $0.dropFirst())) })
        else {
            throw mismatch("expected an operation that begins with its letter and path, such as \"r/count\"", start)
        }

        guard let kind = Patch.Operation.Kind(rawValue: UnicodeScalar(letter)) else {
            throw mismatch("expected an add, remove, replace, splice or edit", start)
        }
        var values = parts.dropFirst()
        var change = Patch.Operation.Change()
        if kind.keys.old != nil { change.old = values.popFirst() }
        if kind.keys.new != nil { change.new = values.popFirst() }
        if let place = values.popFirst() {
            guard case .int(let at) = place, at >= 0 else {
                throw mismatch("expected a whole number from 0 up as the place of an operation", start)
            }
            change.at = at
        }
        guard values.isEmpty, let operation = Patch.Operation(kind, at: path, change) else {
            throw mismatch("expected \(kind.name) to have \(kind.requirement)", start)
        }
        return operation
    }

    func mismatch(_ reason: String, _ offset: Int) -> TreeError {
        TreeError(.badPatch, offset: offset, reason)
    }
}
