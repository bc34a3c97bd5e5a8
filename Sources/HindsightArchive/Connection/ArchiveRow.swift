#if Archive
    import CPostgres

    /// The rows of an answer, in memory.
    package final class ArchiveRows: RandomAccessCollection {
        let result: OpaquePointer

        init(_ result: OpaquePointer) { self.result = result }

        deinit { PQclear(result) }

        package var startIndex: Int { 0 }
        package var endIndex: Int { Int(PQntuples(result)) }
        /// The names of the columns.
        package var columns: [String] {
            (0..<PQnfields(result)).map { PQfname(result, $0).map { String(cString: $0) } ?? "" }
        }
        package subscript(index: Int) -> ArchiveRow { ArchiveRow(rows: self, index: Int32(index)) }
    }

    /// A row of an answer. A value that is null or has another type than asked for is 0, empty or `false`: ask
    /// ``isNull(_:)`` where that matters.
    package struct ArchiveRow {
        let rows: ArchiveRows
        let index: Int32

        package var count: Int { Int(PQnfields(rows.result)) }

        package func isNull(_ column: Int) -> Bool { PQgetisnull(rows.result, index, Int32(column)) != 0 }

        /// A whole number; or a time, in microseconds since 2000.
        package func integer(_ column: Int) -> Int64 {
            let bytes = raw(column)
            guard let first = bytes.first, bytes.count <= 8 else { return 0 }
            let start: Int64 = first >= 128 ? -1 : 0
            return bytes.reduce(start) { $0 << 8 | Int64($1) }
        }

        package func text(_ column: Int) -> String {
            // In the binary form, the number of the form's version comes before JSON.
            let isJSON = PQfformat(rows.result, Int32(column)) == 1 && type(column) == TypeNumber.jsonb
            return String(decoding: raw(column).dropFirst(isJSON ? 1 : 0), as: UTF8.self)
        }

        func type(_ column: Int) -> UInt32 { PQftype(rows.result, Int32(column)) }

        /// The text; `nil` for a null.
        package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
        /// The number; `nil` for a null.
        package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
        package func bytes(_ column: Int) -> [UInt8] { Array(raw(column)) }
        package func boolean(_ column: Int) -> Bool { raw(column).first == 1 }

        /// The bytes as the server sent them. They live as long as the rows.
        private func raw(_ column: Int) -> UnsafeBufferPointer<UInt8> {
            guard let start = PQgetvalue(rows.result, index, Int32(column)) else { return .init(start: nil, count: 0) }
            let count = Int(PQgetlength(rows.result, index, Int32(column)))
            return UnsafeRawBufferPointer(start: start, count: count).assumingMemoryBound(to: UInt8.self)
        }
    }
#endif
