extension Patch.Operation {
    /// The operations that lead from one string to another: none if they are the same, otherwise edits, or a
    /// replacement if both have at most 32 bytes or edits would not be shorter.
    ///
    /// Costs what ``TextEdit/edits(from:to:unit:)`` costs.
    static func changes(at path: NodePath, from old: String, to new: String) -> [Patch.Operation] {
        old.withBytes { oldBytes in
            new.withBytes { newBytes in
                changes(at: path, oldBytes, newBytes, .scalars, whole: (.string(old), .string(new))) {
                    .string(String(decoding: $0, as: UTF8.self))
                }
            }
        }
    }

    /// The operations that lead from one array of bytes to another, as for strings.
    static func changes(at path: NodePath, from old: [UInt8], to new: [UInt8]) -> [Patch.Operation] {
        old.withUnsafeBufferPointer { oldBytes in
            new.withUnsafeBufferPointer { newBytes in
                changes(at: path, oldBytes, newBytes, .bytes, whole: (.data(old), .data(new))) { .data(Array($0)) }
            }
        }
    }

    private static func changes(
        at path: NodePath,
        _ old: UnsafeBufferPointer<UInt8>,
        _ new: UnsafeBufferPointer<UInt8>,
        _ unit: TextEdit.Unit,
        whole: (old: Node, new: Node),
        node: (UnsafeBufferPointer<UInt8>) -> Node
    ) -> [Patch.Operation] {
        if old.count <= shortText && new.count <= shortText {
            return old.hasSameBytes(as: new) ? [] : [.replace(path: path, old: whole.old, new: whole.new)]
        }
        let edits = TextEdit.edits(from: old, to: new, unit: unit)
        let pathLength = path.components.reduce(0) { $0 + $1.utf8.count + 1 }
        let length = edits.reduce(0) { $0 + editLength + pathLength + $1.remove.count + $1.insert.count }
        if length >= replaceLength + pathLength + old.count + new.count {
            return [.replace(path: path, old: whole.old, new: whole.new)]
        }
        return edits.map {
            .edit(path: path, at: $0.at, remove: node(old.part($0.remove)), insert: node(new.part($0.insert)))
        }
    }

    private static let shortText = 32
    /// The approximate length of an edit's JSON without its path and texts.
    private static let editLength = #"{"op":"edit","path":"","at":1000,"remove":"","insert":""},"#.utf8.count
    private static let replaceLength = #"{"op":"replace","path":"","old":"","value":""},"#.utf8.count
}
