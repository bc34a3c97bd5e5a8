#if Archive
    import HindsightSupport

    /// Which recordings of an archive are meant. Without a condition, all are.
    package struct ArchiveFilter: Codable, Hashable, Sendable {
        /// A name; with `*`, a pattern.
        package var app: String?
        package var version: String?
        package var device: String?
        package var platform: String?
        package var ending: String?
        package var crashType: String?
        package var crashReducer: String?
        /// A type of which the recording has an action.
        package var actionType: String?
        package var since: ArchiveMoment?
        package var until: ArchiveMoment?

        package init() {}

        /// The condition on a row of `recordings` that the statement calls `r`, and the statement's parameters: its values
        /// come after others.
        package func condition(after parameters: [ArchiveValue] = []) -> (String, [ArchiveValue]) {
            var parts: [String] = []
            var parameters = parameters
            func place(_ value: ArchiveValue) -> String {
                parameters.append(value)
                return "$\(parameters.count)"
            }
            func add(_ column: String, _ wanted: String?) {
                guard let wanted else { return }
                let isPattern = wanted.contains("*")
                let value = place(.text(isPattern ? Self.pattern(wanted) : wanted))
                parts.append(isPattern ? "\(column) LIKE \(value)::text" : "\(column) = \(value)::text")
            }
            add("r.app", app)
            add("r.app_version", version)
            add("r.device", device)
            add("r.platform", platform)
            add("r.ending", ending)
            add("r.crash_type", crashType)
            add("r.crash_reducer", crashReducer)
            parts += times(of: "r.started", place)
            if let actionType {
                let value = place(.text(Self.pattern(actionType)))
                parts.append(
                    """
                    EXISTS (
                        SELECT FROM hindsight.action_types AS t
                        WHERE t.started = r.started AND t.id = r.id AND t.type LIKE \(value)::text
                    )
                    """
                )
            }
            return (parts.isEmpty ? "true" : parts.joined(separator: " AND "), parameters)
        }

        /// The condition on a row of `job` that the statement calls `j`, and the statement's parameters, likewise.
        ///
        /// The job was made for a recording that fits. Since then, only an age such as `7d` may leave it out.
        func condition(onJobAfter parameters: [ArchiveValue]) -> (String, [ArchiveValue]) {
            var parameters = parameters
            let parts = times(of: "j.started") { value in
                parameters.append(value)
                return "$\(parameters.count)"
            }
            return ((["true"] + parts).joined(separator: " AND "), parameters)
        }

        /// The conditions on a column with the time at which a recording began.
        private func times(of column: String, _ place: (ArchiveValue) -> String) -> [String] {
            var parts: [String] = []
            if let since { parts.append("\(column) >= \(since.sql(place))") }
            if let until { parts.append("\(column) < \(until.sql(place))") }
            return parts
        }

        /// Whether it names all of a device, or what a device has of an app.
        package var namesDeviceAlone: Bool {
            var rest = self
            (rest.device, rest.app) = (nil, nil)
            return device != nil && rest == ArchiveFilter()
        }

        /// A pattern of `LIKE`, in which only `*` stands for any text.
        static func pattern(_ text: String) -> String {
            text.replacing(#/[%_\\]/#.matchingSemantics(.unicodeScalar)) { "\\\($0.output)" }
                .replacingScalars("*", with: "%")
        }

        /// Whether a text is an id, or the beginning of one.
        package static func isID(_ text: String) -> Bool {
            let digits = text.filter { $0 != "-" }
            return 1...32 ~= digits.count && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
        }
    }

    /// A time that a user gives: a date, or how long ago.
    package struct ArchiveMoment: Codable, Hashable, Sendable {
        private let seconds: Int64?
        private let text: String

        /// `2026-11-20`, `2026-11-20T14:03:22Z`, or an age: `30m`, `12h`, `7d`, `2w`, `1y`.
        package init?(_ text: String) {
            self.text = text
            seconds = Self.seconds(text)
            if seconds == nil, !Self.isTime(text) { return nil }
        }

        private static func isTime(_ text: String) -> Bool {
            let form = #/(\d{4})-(\d\d)-(\d\d)([T ](\d\d):(\d\d)(:(\d\d))?(Z|[+-]\d\d:\d\d)?)?/#
            guard let match = text.wholeMatch(of: form)?.output, let year = Int(match.1), let month = Int(match.2),
                let day = Int(match.3), year >= 1, 1...12 ~= month
            else { return false }
            let date = CivilDate(year: year, month: month, day: day)
            let (hour, minute, second) = (
                match.5.flatMap { Int($0) }, match.6.flatMap { Int($0) }, match.8.flatMap { Int($0) }
            )
            return CivilDate(daysSince1970: date.daysSince1970) == date
                && hour ?? 0 < 24 && minute ?? 0 < 60 && second ?? 0 < 60
        }

        /// The seconds of an age; `nil` if the text is none.
        package static func seconds(_ text: String) -> Int64? {
            let units: [Character: Int64] = [
                "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_557_600,
            ]
            guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()), number >= 0,
                number <= 1_000_000_000
            else { return nil }
            let (seconds, isTooLong) = number.multipliedReportingOverflow(by: unit)
            return isTooLong || seconds > 10_000_000_000 ? nil : seconds
        }

        func sql(_ place: (ArchiveValue) -> String) -> String {
            guard let seconds else { return "\(place(.text(text)))::timestamptz" }
            return "now() - make_interval(secs => \(place(.integer(seconds)))::bigint)"
        }
    }
#endif
