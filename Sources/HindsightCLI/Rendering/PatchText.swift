import HindsightSupport
import HindsightTree

/// Formats a patch like a code review: path first, then old → new. Long values are truncated, and unchanged parts are
/// folded, with counts.
///
/// ```
/// ~ /filter  "all" → "done"
/// + /items/3  {id: 4, title: "Milk", done: false}
/// - /items/0  {id: 1, title: "Bread", done: true}
/// ~ /text at 1,204  …hello [-wor-]{+Wor+}ld…
///   unchanged: 3 members · /items: 2 elements
/// ```
struct PatchText {
    var style = Style(isOn: false)
    /// The approximate width of a line. Without a limit, nothing is truncated.
    var width = 120
    /// The most changes to show. The rest is counted.
    var maxLines = 200
    /// The most elements of a splice to show.
    private static let maxElements = 12

    private var isLimited: Bool { Terminal.isLimit(width) }

    /// - Parameter base: The node that the patch applies to. Without it, text edits have no surroundings, and the
    ///   unchanged parts are not counted.
    func lines(of patch: Patch, base: Node?) -> [String] {
        var lines: [String] = []
        // Only text edits show their surroundings.
        var (current, applied, shown) = (base, 0, 0)
        for operation in patch.operations {
            if isLimited, lines.count >= maxLines { break }
            if case .edit = operation, var node = current.take() {
                // If an operation does not fit, later edits have no surroundings.
                if (try? Patch(Array(patch.operations[applied..<shown])).apply(to: &node)) != nil { current = node }
                applied = shown
            }
            lines += self.lines(of: operation, in: current)
            shown += 1
        }
        if shown < patch.operations.count {
            let rest = Quantities.counted(patch.operations.count - shown, "more change")
            lines.append(style.faint("  … and \(rest) (--json has all)"))
        }
        if let base, let line = UnchangedParts(of: base, beside: patch).line {
            lines.append(style.faint("  " + line))
        }
        return lines
    }

    private func lines(of operation: Patch.Operation, in node: Node?) -> [String] {
        switch operation {
        case .add(let path, let value, _):
            return [added(path, value)]
        case .remove(let path, let old, _):
            return [removed(path, old)]
        case .replace(let path, let old, let new):
            let name = path.shown()
            let room = max(24, (width - name.count - 8) / 2)
            let (old, new) = ValueText(budget: room, maxStringLength: room).texts(of: old, new)
            let change = "\(style.removed(old)) → \(style.added(new))"
            return ["\(style.changed("~")) \(style.strong(name))  \(change)"]
        case .splice(let path, let at, let remove, let insert):
            // Elements that take each other's places show how they differ.
            return elements(remove, path, at, "removed") { removed($0, $1, insteadOf: insert.dropFirst($2).first) }
                + elements(insert, path, at, "added") { added($0, $1, insteadOf: remove.dropFirst($2).first) }
        case .edit(let path, let at, let remove, let insert):
            let name = "\(style.strong(path.shown())) at \(Quantities.grouped(at))"
            let edit = EditText(style: style, room: max(16, (width - 40) / 4))
            return [
                "\(style.changed("~")) \(name)  \(edit.text(at: at, remove: remove, insert: insert, in: node?[path]))"
            ]
        }
    }

    private func added(_ path: NodePath, _ value: Node, insteadOf other: Node? = nil) -> String {
        "\(style.added("+")) \(style.strong(path.shown()))  \(style.added(inline(value, path, other)))"
    }

    private func removed(_ path: NodePath, _ value: Node, insteadOf other: Node? = nil) -> String {
        "\(style.removed("-")) \(style.strong(path.shown()))  \(style.removed(inline(value, path, other)))"
    }

    private func elements(
        _ values: [Node],
        _ path: NodePath,
        _ at: Int,
        _ verb: String,
        _ line: (NodePath, Node, _ index: Int) -> String
    ) -> [String] {
        let maxElements = isLimited ? Self.maxElements : .max
        var lines = values.prefix(maxElements).enumerated().map { index, value in
            line(path.appending(String(at &+ index)), value, index)
        }
        if values.count > maxElements {
            let rest = Quantities.counted(values.count - maxElements, "more element")
            lines.append(style.faint("  … and \(rest) \(verb)"))
        }
        return lines
    }

    private func inline(_ value: Node, _ path: NodePath, _ other: Node?) -> String {
        let room = max(30, width - path.shown().count - 6)
        let text = ValueText(budget: room, maxStringLength: room)
        return other.map { text.texts(of: value, $0).0 } ?? text.text(of: value)
    }
}

extension NodePath {
    /// The path, escaped, or a text for the whole state.
    func shown(_ whole: String = "(whole)") -> String { isRoot ? whole : escape(description) }
}

extension Console {
    /// Prints the changes of a patch below a row.
    ///
    /// - Parameter maxWidth: The most columns of a line, in a pipe too.
    func print(
        _ patch: Patch,
        margin: String = "    ",
        maxLines: Int = 200,
        maxWidth: Int = Terminal.unlimited,
        base: Node? = nil
    ) {
        let width = min(terminal.width, maxWidth) - margin.count
        let text = PatchText(style: style, width: width, maxLines: maxLines)
        for line in text.lines(of: patch, base: base) { print(margin + line) }
    }
}
