import HindsightFormat
import HindsightSQLite
import HindsightTree

/// A recording's facts about itself, as far as they can be read.
struct LenientHead {
    /// A value of the table `recording`.
    enum Value: Hashable {
        case text(String)
        case number(Int64)
    }

    private(set) var facts: [(key: String, value: Value)] = []
    private(set) var reducers: [String] = []
    /// Whether all reducers could be read, so that their number is known.
    private(set) var reducersAreKnown = false

    /// The runs of actions whose states were left out because the recorder fell behind.
    private(set) var skipped: [ClosedRange<Int>] = []
    /// The states that the recorder marked as doubtful.
    private(set) var doubtful: [Recording.DoubtfulStates] = []

    /// The largest number of facts to read. A recording has few.
    private static let mostFacts = 1000
    /// A reducer's number has fourteen bits in the journal's mark.
    private static let mostReducers = 1 << 14

    init() {}

    init(_ file: LenientFile, _ findings: inout Findings) {
        readFacts(file, &findings)
        readReducers(file, &findings)
        readSkipped(file, &findings)
        readDoubtful(file, &findings)
    }

    subscript(key: String) -> Value? { facts.first { $0.key == key }?.value }

    /// Whether the recording has a limit.
    var isLimited: Bool { facts.contains { $0.key.hasPrefix("limit") } }

    /// Actions that, according to a recovery, are in no file.
    var lost: ClosedRange<Int>? {
        guard case .text(let text)? = self["lost"] else { return nil }
        let bounds = text.split(separator: "-").compactMap { Int($0) }
        return bounds.count == 2 && bounds[0] <= bounds[1] ? bounds[0]...bounds[1] : nil
    }

    /// Corrects the number of reducers by that of the steps in most actions.
    mutating func expectReducers(_ count: Int, _ findings: inout Findings) {
        for number in reducers.count..<max(reducers.count, count) {
            findings.add(Finding(.reducer, "the name of reducer \(number + 1) is missing"))
            reducers.append("reducer \(number + 1) (its name is lost)")
        }
        if reducers.count > count {
            findings.add(Finding(.reducer, "there are \(reducers.count) names of \(count) reducers"))
            reducers.removeLast(reducers.count - count)
        }
        reducersAreKnown = true
    }

    private mutating func readFacts(_ file: LenientFile, _ findings: inout Findings) {
        do {
            guard file.has(Schema.recording, &findings) else { return }
            let row = try file.connection.prepare("SELECT key, value FROM recording LIMIT \(Self.mostFacts)")
            while try row.step() {
                let key = try row.text(0)
                if row.isInteger(1) {
                    facts.append((key, .number(try row.integer(1))))
                } else {
                    facts.append((key, .text(try row.text(1))))
                }
            }
        } catch {
            findings.add(Finding(.head, "what the recording says about itself cannot be read: \(error)"))
        }
        for key in ["app", "version", "platform"] {
            if case .text? = self[key] { continue }
            findings.add(Finding(.head, self[key] == nil ? "it has no \(key)" : "its \(key) is no text"))
        }
        for key in ["created", "closed"] {
            if case .number? = self[key] { continue }
            if self[key] == nil, key == "closed" { continue }
            findings.add(Finding(.head, self[key] == nil ? "it has no \(key)" : "its \(key) is no number"))
        }
    }

    private mutating func readSkipped(_ file: LenientFile, _ findings: inout Findings) {
        do {
            guard file.has(SkippedTable.table, isNeeded: false, &findings) else { return }
            let row = try file.connection.prepare("SELECT first, last FROM skipped ORDER BY first LIMIT 100000")
            while try row.step() {
                let (first, last) = (Int(try row.integer(0)), Int(try row.integer(1)))
                guard first <= last, first > skipped.last?.upperBound ?? 0,
                    last <= Recording.Position.lastPossibleAction
                else {
                    findings.add(
                        Finding(.head, "what it says of states that were left out, from \(first) on, cannot be")
                    )
                    continue
                }
                skipped.append(first...last)
            }
        } catch {
            findings.add(Finding(.head, "what it says of states that were left out cannot be read: \(error)"))
        }
    }

    private mutating func readDoubtful(_ file: LenientFile, _ findings: inout Findings) {
        do {
            guard file.has(DoubtfulTable.table, isNeeded: false, &findings) else { return }
            let row = try file.connection.prepare("SELECT first, last, path FROM doubtful ORDER BY first LIMIT 100000")
            while try row.step() {
                let (first, last) = (Int(try row.integer(0)), Int(try row.integer(1)))
                guard first >= 1, first <= last, first > doubtful.last?.actions.upperBound ?? 0,
                    last <= Recording.Position.lastPossibleAction, let path = NodePath(try row.text(2))
                else {
                    findings.add(Finding(.head, "what it says of doubtful states, from \(first) on, cannot be"))
                    continue
                }
                doubtful.append(Recording.DoubtfulStates(actions: first...last, path: path))
            }
        } catch {
            findings.add(Finding(.head, "what it says of doubtful states cannot be read: \(error)"))
        }
    }

    private mutating func readReducers(_ file: LenientFile, _ findings: inout Findings) {
        do {
            guard let table = file.table(Schema.reducer, &findings) else { return }
            reducersAreKnown = true
            // Number 0 is time travel, whose name the views need.
            if try table.read(0, { $0.withText(1) { _ in true } }) != true {
                findings.add(Finding(.reducer, "the name of time travel is missing"))
            }
            while case .row(let id) = try table.next(after: reducers.count), id <= Self.mostReducers {
                for number in reducers.count + 1..<id {
                    findings.add(Finding(.reducer, "the name of reducer \(number) is missing"))
                    reducers.append("reducer \(number) (its name is lost)")
                }
                let name = table.row.withText(1) { String(validating: $0, as: UTF8.self) } ?? nil
                if name == nil { findings.add(Finding(.reducer, "the name of reducer \(id) is no text")) }
                reducers.append(name ?? "reducer \(id) (its name is lost)")
            }
            switch try table.next(after: reducers.count) {
            case .unreadable(_, let error), .lost(_, let error):
                reducersAreKnown = false
                findings.add(Finding(.reducer, "the reducers' names cannot be read: \(error)"))
            case .row, .end:
                break
            }
        } catch {
            reducersAreKnown = false
            findings.add(Finding(.reducer, "the reducers' names cannot be read: \(error)"))
        }
    }
}
