#if Archive
    import CPostgres
    import Foundation
    import HindsightSupport

    /// The rows of an answer, in memory.
    package final class ArchiveRows {
        let result: OpaquePointer

        init(_ result: OpaquePointer) { self.result = result }

        deinit { PQclear(result) }

        package var count: Int { Int(PQntuples(result)) }
        package var isEmpty: Bool { count == 0 }
        /// The names of the columns.
        package var columns: [String] {
            (0..<PQnfields(result)).map { PQfname(result, $0).map { String(cString: $0) } ?? "" }
        }
        /// The number of rows that the statement changed.
        package var changed: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }
        package var first: ArchiveRow? { isEmpty ? nil : self[0] }
        package subscript(index: Int) -> ArchiveRow { ArchiveRow(rows: self, index: Int32(index)) }
    }

    extension ArchiveRows: Sequence {
        package func makeIterator() -> AnyIterator<ArchiveRow> {
            var next = 0
            return AnyIterator {
                guard next < self.count else { return nil }
                defer { next += 1 }
                return self[next]
            }
        }
    }

    /// A row of an answer. A value that is null or has another type than asked for is 0, empty, `false` or 1970: ask
    /// ``isNull(_:)`` where that matters.
    package struct ArchiveRow {
        let rows: ArchiveRows
        let index: Int32

        package var count: Int { Int(PQnfields(rows.result)) }

        package func isNull(_ column: Int) -> Bool { PQgetisnull(rows.result, index, Int32(column)) != 0 }

        package func integer(_ column: Int) -> Int64 {
            guard isBinary(column) else { return Int64(text(column)) ?? 0 }
            let bytes = raw(column)
            guard let first = bytes.first, bytes.count <= 8 else { return 0 }
            let start: Int64 = first >= 128 ? -1 : 0
            return bytes.reduce(start) { $0 << 8 | Int64($1) }
        }

        package func text(_ column: Int) -> String {
            let bytes = raw(column)
            guard isBinary(column), PQftype(rows.result, Int32(column)) == TypeNumber.jsonb else {
                return String(decoding: bytes, as: UTF8.self)
            }
            return String(decoding: bytes.dropFirst(), as: UTF8.self)
        }

        /// The text; `nil` for a null.
        package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
        /// The number; `nil` for a null.
        package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
        /// The time; `nil` for a null.
        package func optionalTime(_ column: Int) -> Date? { isNull(column) ? nil : time(column) }

        package func bytes(_ column: Int) -> [UInt8] {
            let bytes = raw(column)
            guard !isBinary(column) else { return Array(bytes) }
            guard bytes.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "x")]) else { return [] }
            var (value, isHigh) = ([UInt8](), true)
            value.reserveCapacity(bytes.count / 2)
            for digit in bytes.dropFirst(2) {
                let number = digit <= UInt8(ascii: "9") ? digit &- UInt8(ascii: "0") : (digit | 32) &- 87
                if isHigh { value.append(number << 4) } else { value[value.count - 1] |= number & 15 }
                isHigh.toggle()
            }
            return value
        }

        package func boolean(_ column: Int) -> Bool {
            let bytes = raw(column)
            return isBinary(column) ? bytes.first == 1 : bytes.first == UInt8(ascii: "t")
        }

        /// A time. In answers as text it must have PostgreSQL's form for the time zone UTC, which connections have.
        package func time(_ column: Int) -> Date {
            guard !isBinary(column) else { return date(microseconds: integer(column)) }
            return Date(timeIntervalSince1970: Self.seconds(text(column)) ?? 0)
        }

        /// Parses `2026-11-22 22:41:00.25+00`.
        private static func seconds(_ text: String) -> Double? {
            let parts = text.split(separator: " ")
            guard parts.count == 2 else { return nil }
            let day = parts[0].split(separator: "-").compactMap { Int($0) }
            let time = parts[1].prefix { $0 != "+" }.split(separator: ":").compactMap { Double($0) }
            guard day.count == 3, time.count == 3 else { return nil }
            let days = CivilDate(year: day[0], month: day[1], day: day[2]).daysSince1970
            return Double(days) * 86400 + time[0] * 3600 + time[1] * 60 + time[2]
        }

        private func isBinary(_ column: Int) -> Bool { PQfformat(rows.result, Int32(column)) == 1 }

        /// The bytes as the server sent them. They live as long as the rows.
        private func raw(_ column: Int) -> UnsafeBufferPointer<UInt8> {
            guard let start = PQgetvalue(rows.result, index, Int32(column)) else { return .init(start: nil, count: 0) }
            let count = Int(PQgetlength(rows.result, index, Int32(column)))
            return UnsafeRawBufferPointer(start: start, count: count).assumingMemoryBound(to: UInt8.self)
        }
    }
#endif
