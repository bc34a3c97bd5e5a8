#if Archive
    import Foundation
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport
    import HindsightTree

    /// What identifies a recording in an archive, and stays as it is while the recording grows.
    package struct RecordingKey: Hashable, Sendable {
        /// The recording's UUID. That of a part, of a salvaged or migrated recording and of a what-if is made of the
        /// recording's UUID and its origin. That of a recording without a UUID is made of its app, its platform, the
        /// exact time at which the recorder was created, and its origin.
        package let id: String
        /// When the recorder was created, in microseconds since 1970, held within the years 2000 to 2099.
        package let microseconds: Int64

        package var started: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

        /// The exact time, as PostgreSQL reads it. A `Date` is rounded.
        package var startedText: String { timestampText(microseconds: microseconds) }

        package init(id: String, started: Date) {
            self.id = id
            microseconds = Int64((started.timeIntervalSince1970 * 1_000_000).rounded())
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
            let digits = Array(hex(bytes))
            var text = ""
            for (index, digit) in digits.enumerated() {
                if [8, 12, 16, 20].contains(index) { text.append("-") }
                text.append(digit)
            }
            id = text
        }

        /// 2000-01-01 to 2099-12-31.
        private static let range: ClosedRange<Int64> = 946_684_800_000_000...4_102_358_400_000_000
    }

    /// A time as PostgreSQL reads it: `2026-11-22T22:41:00.250000Z`.
    func timestampText(microseconds: Int64) -> String {
        let (seconds, fraction) = Int(microseconds).quotientAndRemainder(floor: 1_000_000)
        let (days, second) = seconds.quotientAndRemainder(floor: 86_400)
        let day = CivilDate(daysSince1970: days)
        func padded(_ number: Int, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let date = "\(padded(day.year, 4))-\(padded(day.month, 2))-\(padded(day.day, 2))"
        let time = "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        return "\(date)T\(time).\(padded(fraction, 6))Z"
    }
#endif
