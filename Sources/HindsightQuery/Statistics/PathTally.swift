import HindsightTree

/// Counts operations by path, with `*` for each index, from the paths as they stand in JSON text.
struct PathTally {
    private struct Row {
        /// The path as it stands in JSON text.
        var path: [UInt8]
        var operations = 0
        var bytes = 0
        var reducers: Set<Int> = []
        /// One of ``reducers``; -1 if there is none.
        var lastReducer = -1
    }

    private var rows: [Row] = []
    private var indices: [[UInt8]: Int] = [:]
    private var scratch: [UInt8] = []
    private(set) var others = 0

    private static let most = 20_000

    /// - Parameter reducer: The number of the reducer; `nil` if several may have done it together.
    mutating func add(_ path: UnsafeBufferPointer<UInt8>, bytes: Int, reducer: Int?) {
        normalize(path)
        guard let index = index() else {
            others += 1
            return
        }
        rows[index].operations += 1
        rows[index].bytes += bytes
        guard let reducer, rows[index].lastReducer != reducer else { return }
        rows[index].lastReducer = reducer
        rows[index].reducers.insert(reducer)
    }

    /// Writes the path into ``scratch``, with `*` for each name of digits.
    private mutating func normalize(_ path: UnsafeBufferPointer<UInt8>) {
        scratch.removeAll(keepingCapacity: true)
        let slash = UInt8(ascii: "/")
        var rest = path[...]
        while let first = rest.popFirst() {
            // A name, and the slash before it.
            let name = rest.prefix { $0 != slash }
            rest = rest.dropFirst(name.count)
            scratch.append(first)
            let isIndex = first == slash && !name.isEmpty && name.allSatisfy(\.isDigit)
            if isIndex { scratch.append(UInt8(ascii: "*")) } else { scratch += name }
        }
    }

    /// The row of the path in ``scratch``; `nil` if it is new, and there are too many.
    private mutating func index() -> Int? {
        if let index = indices[scratch] { return index }
        guard rows.count < Self.most else { return nil }
        indices[scratch] = rows.count
        rows.append(Row(path: scratch))
        return rows.count - 1
    }

    /// The paths by decreasing number of operations, then by name.
    var paths: [Statistics.PathUse] {
        rows.map { row in
            Statistics.PathUse(
                path: Self.unescaped(row.path),
                operations: row.operations,
                changeBytes: row.bytes,
                reducers: row.reducers.sorted()
            )
        }.sorted { ($1.operations, $0.path) < ($0.operations, $1.path) }
    }

    private static func unescaped(_ path: [UInt8]) -> String {
        let quote = [UInt8(ascii: "\"")]
        // A damaged text is shown as it is stored.
        guard path.contains(UInt8(ascii: "\\")), case .string(let text)? = try? Node(jsonBytes: quote + path + quote)
        else { return String(decoding: path, as: UTF8.self) }
        return text
    }
}
