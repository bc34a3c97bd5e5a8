#if Archive
    import Foundation
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport
    import HindsightTree

    /// What identifies a recording in an archive, and stays as it is while the recording grows.
    package struct RecordingKey: Hashable, Codable, Sendable {
        /// The recording's UUID. That of a part, of a salvaged or migrated recording and of a what-if is made of the
        /// recording's UUID and its origin. That of a recording without a UUID is made of its app, its platform, the
        /// exact time at which the recorder was created, and its origin.
        package let id: String
        /// When the recorder was created, in microseconds since 1970, held within the years 2000 to 2099.
        package let microseconds: Int64

        /// The exact time, as PostgreSQL reads it.
        package var startedText: String { timestampText(microseconds: microseconds) }

        /// - Parameter started: The time as PostgreSQL counts it: in microseconds since 2000.
        init(id: String, started: Int64) {
            self.id = id
            microseconds = min(max(started, 0), Self.range.upperBound - Self.range.lowerBound) + Self.range.lowerBound
        }

        /// - Parameter header: The first line of the recording's text.
        init(of recording: Recording, header: Node) {
            microseconds = min(max(recording.createdNanoseconds / 1000, Self.range.lowerBound), Self.range.upperBound)
            let facts = header["facts"]
            let origin = [Metadata.Key.schema, Metadata.Key.cut, Metadata.Key.parent, Metadata.Key.salvaged].map {
                facts?[$0] ?? .null
            }
            if let uuid = recording.id, origin.allSatisfy({ $0 == .null }) {
                id = uuid
                return
            }
            let identity: [Node] =
                recording.id.map { [.string($0), .array(origin)] } ?? [
                    .string(recording.app.name), .string(recording.app.version), .string(recording.platform),
                    .int(Int(recording.createdNanoseconds)), .array(origin),
                ]
            var bytes = SHA256.digest(of: Array(Node.array(identity).json.utf8)).prefix(16).map { $0 }
            // A UUID of version 8, whose bits have their own meaning.
            bytes[6] = bytes[6] & 0x0F | 0x80
            bytes[8] = bytes[8] & 0x3F | 0x80
            id = NSUUID(uuidBytes: bytes).uuidString.lowercased()
        }

        /// 2000-01-01 to 2099-12-31.
        private static let range: ClosedRange<Int64> = 946_684_800_000_000...4_102_358_400_000_000
    }

    /// A time as PostgreSQL reads it: `2026-11-22T22:41:00.250000Z`.
    func timestampText(microseconds: Int64) -> String {
        let (_, rest) = Int(microseconds).quotientAndRemainder(floor: 1_000)
        return "\(TimeText.utc(nanoseconds: microseconds * 1_000).dropLast())\(String(1_000 + rest).dropFirst())Z"
    }
#endif
