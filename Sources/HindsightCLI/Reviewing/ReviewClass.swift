import HindsightTree

/// The differences of many recordings that look alike: one decision.
struct ReviewClass {
    enum Decision: String { case accepted, rejected, skipped }

    /// What the differences have in common.
    struct Key: Hashable {
        let app: String
        let type: String?
        let reducer: String?
        let path: String
        let cause: String

        static let crash = "crash"

        init(_ file: ExaminedFile, _ difference: ExaminedFile.Difference) {
            app = file.app
            type = difference.type
            reducer = difference.reducer
            path = difference.path
            cause = difference.cause
        }

        init(_ file: ExaminedFile, crash problem: ExaminedFile.Problem) {
            app = file.app
            type = problem.type
            reducer = problem.reducer
            path = ""
            cause = Self.crash
        }

        var withoutPath: [String?] { [app, type, reducer, cause] }

        private var names: [String] { NodePath(path)?.components ?? [] }
        var wildcards: Int { names.count { $0.hasPrefix("*") } }

        /// Whether another path fits this one as a pattern.
        func covers(_ other: Key) -> Bool {
            let (own, others) = (names, other.names)
            if own == ["**"] { return true }
            return own.count == others.count && zip(own, others).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }

    let key: Key
    var decision: Decision?
    /// The number of differences.
    private(set) var count = 0
    /// The files by their index, in order, with their differences; none for a crash.
    private(set) var members: [(file: Int, difference: ExaminedFile.Difference?)] = []

    var isCrash: Bool { key.cause == Key.crash }

    var fileIndices: [Int] {
        members.map(\.file).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// A short name that is the same in each run: `3f9a02c1-add`.
    var id: String {
        let words = key.withoutPath.map { $0 ?? "\u{1}" } + [key.path]
        // FNV-1a with 64 bits.
        let hash = words.joined(separator: "\u{0}").utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        let digits = String(UInt32(truncatingIfNeeded: hash ^ hash >> 32), radix: 16)
        let name = (key.type ?? "start").unicodeScalars.prefix(24).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == ".")
                ? Character(scalar) : "-"
        }
        return String(repeating: "0", count: 8 - digits.count) + digits + "-" + String(name)
    }

    /// - Parameter difference: `nil` for a crash.
    mutating func add(_ difference: ExaminedFile.Difference?, of file: Int) {
        count += difference?.count ?? 1
        members.append((file, difference))
    }

    mutating func join(_ other: ReviewClass) {
        count += other.count
        members = (members + other.members).sorted { $0.file < $1.file }
    }
}
