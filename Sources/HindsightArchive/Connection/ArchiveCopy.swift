#if Archive
    /// Rows that go into a table by `COPY` in PostgreSQL's binary form.
    public struct ArchiveCopy {
        private let connection: ArchiveConnection
        private var buffer: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

        private static let most = 1 << 16

        init(_ connection: ArchiveConnection) { self.connection = connection }

        /// Adds a row: a value for each column, in their order. Arrays are not possible.
        public mutating func row(_ values: [ArchiveValue]) throws(ArchiveError) {
            buffer += bigEndian(Int16(values.count))
            for value in values {
                switch value {
                case .null: buffer += bigEndian(Int32(-1))
                case .integer(let number): add(bigEndian(number))
                case .text(let text): add(Array(EncodedValue.sendable(text).utf8))
                case .bytes(let bytes): add(bytes)
                case .time(let date): add(bigEndian(microseconds(date)))
                case .boolean(let value): add([value ? 1 : 0])
                case .json(let text): add([1] + Array(text.utf8))
                case .texts, .integers, .byteStrings: preconditionFailure("COPY takes no arrays")
                }
            }
            if buffer.count >= Self.most { try send() }
        }

        private mutating func add(_ bytes: [UInt8]) {
            buffer += bigEndian(Int32(bytes.count))
            buffer += bytes
        }

        mutating func end() throws(ArchiveError) {
            buffer += bigEndian(Int16(-1))
            try send()
        }

        private mutating func send() throws(ArchiveError) {
            try connection.put(buffer)
            buffer.removeAll(keepingCapacity: true)
        }
    }
#endif
