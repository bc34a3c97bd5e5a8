import HindsightFormat
import HindsightSQLite
import HindsightStore
import HindsightTree

/// An action as far as it can be read, and what is wrong with it.
struct LenientRow {
    var action: DispatchedAction
    var duration: Int64?
    /// The steps, as text and parsed; `nil` if they were not written.
    var steps: (text: String, read: [TimedPatch])?
    /// Whether the steps are damaged.
    var stepsAreLost = false
    /// The problems, each as a clause.
    var troubles: [Finding] = []

    var isTravel: Bool { action.payload == nil && action.type == Schema.travelType }

    /// The column with the steps in a row of `Schema.action`.
    static let stepsColumn: Int32 = 9

    /// The changes that lead from the state before a row to the state after it. Within a run of actions without states
    /// there are none; the last action of the run has all of them.
    static func way(_ row: borrowing Statement) throws -> [TimedPatch] {
        row.isNull(stepsColumn) ? [] : try steps(row)
    }

    /// Parses a row with the columns of `Schema.action`.
    ///
    /// - Parameters:
    ///   - lastTime: Replaces a time that is lost.
    ///   - reducers: The number of reducers; `nil` if unknown.
    ///   - isSkipped: Whether the action belongs to a run without states. The last action of the run may have the
    ///     changes of the whole run.
    init(
        _ row: borrowing Statement,
        _ names: LenientNames,
        lastTime: Int64,
        reducers: Int?,
        isSkipped: Bool = false
    ) throws {
        let seq = Int(try row.integer(0))
        action = DispatchedAction(seq: seq, type: "", at: lastTime)
        action.parent = number(row, 1, "its parent").map { Int($0) }
        if let parent = action.parent, !(1...Recording.Position.lastPossibleAction ~= parent) || parent == seq {
            trouble("its parent is no action")
            action.parent = nil
        }
        let isDamaged = readPayload(row)
        readType(row, names, isPayloadDamaged: isDamaged)
        if let at = number(row, 4, "its time", isNeeded: true) { action.at = at }
        duration = number(row, 5, "its duration")
        readOrigin(row, names)
        readSteps(row, reducers, isSkipped: isSkipped)
    }
    private mutating func trouble(_ what: String) {
        troubles.append(Finding(.action, at: action.seq, what))
    }

    private mutating func number(
        _ row: borrowing Statement,
        _ column: Int32,
        _ name: String,
        isNeeded: Bool = false
    ) -> Int64? {
        if row.isInteger(column) { return try? row.integer(column) }
        if isNeeded || !row.isNull(column) { trouble("\(name) is no number") }
        return nil
    }

    private mutating func text(_ row: borrowing Statement, _ column: Int32, _ name: String) -> String? {
        if row.isNull(column) { return nil }
        let text = row.withText(column) { String(validating: $0, as: UTF8.self) }
        guard let text, let text else {
            trouble("\(name) is no text")
            return nil
        }
        return text
    }

    // MARK: The action

    /// - Returns: Whether there was a payload that is damaged.
    private mutating func readPayload(_ row: borrowing Statement) -> Bool {
        action.problem = text(row, 8, "the reason for its gap")
        guard !row.isNull(3) else {
            if action.problem == nil {
                trouble("its payload is missing")
                action.problem = "Its payload was lost to damage."
                return true
            }
            return false
        }
        do {
            guard let text = text(row, 3, "its payload") else { throw TreeError(.badJSON, "it is no text") }
            guard MemoryEstimate.of(text) <= MemoryEstimate.most else {
                throw Trouble(what: "its payload is too big", isLimit: true)
            }
            _ = try Node(json: text)
            action.payload = text
            return false
        } catch let trouble as Trouble {
            troubles.append(trouble.finding(at: action.seq, in: .action))
            action.problem = "Its payload was too big to be saved."
            return true
        } catch {
            if !row.isNull(3), troubles.last?.what != "its payload is no text" {
                trouble("its payload is not what it should be: \(error)")
            }
            action.problem = "Its payload was lost to damage."
            return true
        }
    }

    private mutating func readType(
        _ row: borrowing Statement,
        _ names: LenientNames,
        isPayloadDamaged: Bool
    ) {
        let isNamed = row.isInteger(2)
        if let name = isNamed ? names.text(row, 2) : text(row, 2, "its type") {
            action.type = name
        } else {
            if isNamed { troubles.append(names.missing(row, 2, action.seq, "the type of an action")) }
            if row.isNull(2) { trouble("its type is missing") }
            // The payload contains the case of an enum, and the name of most registered types.
            action.type = action.payload.flatMap(Self.typeName) ?? "unknown"
        }
    }

    private static func typeName(of payload: String) -> String? {
        switch try? Node(json: payload) {
        case .string(let name)?: name
        case .object(let members)? where members.count == 1: members[0].key
        default: nil
        }
    }

    private mutating func readOrigin(_ row: borrowing Statement, _ names: LenientNames) {
        guard !row.isNull(6) else { return }
        let isNamed = row.isInteger(6)
        guard let file = isNamed ? names.text(row, 6) : text(row, 6, "the file that it comes from") else {
            if isNamed { troubles.append(names.missing(row, 6, action.seq, "where an action comes from")) }
            return
        }
        if let line = number(row, 7, "the line that it comes from", isNeeded: true) {
            action.origin = Origin(file: file, line: Int(line))
        }
    }

    // MARK: Steps

    private mutating func readSteps(_ row: borrowing Statement, _ reducers: Int?, isSkipped: Bool) {
        guard !row.isNull(Self.stepsColumn) else { return }
        do {
            let read = try Self.steps(row)
            try check(read, reducers, isSkipped: isSkipped)
            steps = (try row.text(Self.stepsColumn), read)
        } catch {
            stepsAreLost = true
            let trouble = error as? Trouble ?? Trouble(what: "what its reducers did is not what it should be: \(error)")
            troubles.append(trouble.finding(at: action.seq, in: .steps))
        }
    }

    /// Parses a column of steps.
    static func steps(_ row: borrowing Statement, _ column: Int32 = stepsColumn) throws -> [TimedPatch] {
        let read = try row.withText(column) { bytes in
            guard MemoryEstimate.of(bytes) <= MemoryEstimate.most else {
                throw Trouble(what: "what its reducers did is too big to be examined", isLimit: true)
            }
            return try TimedPatches.read(bytes)
        }
        guard let read else { throw Trouble(what: "what its reducers did is no text") }
        return read
    }

    private func check(_ steps: [TimedPatch], _ reducers: Int?, isSkipped: Bool) throws {
        if isSkipped {
            guard steps.count == 1, steps[0].duration == nil else {
                throw Trouble(what: "its states are said to be left out, and what its reducers did stands there")
            }
            return
        }
        if isTravel {
            guard steps.count == 1, steps[0].duration == nil else {
                throw Trouble(what: "it is time travel, and what reducers did stands there")
            }
            return
        }
        guard steps.allSatisfy({ $0.duration != nil }) else {
            throw Trouble(what: "what one of its reducers did has no duration")
        }
        if let reducers, reducers != steps.count {
            throw Trouble(what: "it has what \(steps.count) reducers did, and there are \(reducers)")
        }
    }

    private struct Trouble: Error {
        let what: String
        /// Whether the value is too large, and not damaged.
        var isLimit = false

        func finding(at seq: Int, in part: Finding.Part) -> Finding { Finding(isLimit ? .limit : part, at: seq, what) }
    }
}

/// The table `name`, as far as it can be read.
final class LenientNames {
    private let table: LenientTable?
    private var texts: [Int: String?] = [:]

    init(_ table: LenientTable?) { self.table = table }

    /// Returns the text to which a column refers; `nil` if it is lost.
    func text(_ row: borrowing Statement, _ column: Int32) -> String? {
        guard let id = try? row.integer(column) else { return nil }
        if let known = texts[Int(id)] { return known }
        let text = try? table?.read(Int(id)) { row in
            row.withText(1) { $0.count <= Names.longest ? String(validating: $0, as: UTF8.self) : nil } ?? nil
        }
        // A malicious file may refer to any number of texts.
        if texts.count > 10_000 { texts = [:] }
        texts[Int(id)] = .some(text ?? nil)
        return text ?? nil
    }

    func missing(_ row: borrowing Statement, _ column: Int32, _ seq: Int, _ use: String) -> Finding {
        let id = (try? row.integer(column)).map(String.init) ?? "?"
        return Finding(.name, at: seq, "name \(id), \(use), is missing")
    }
}
