import HindsightRecording
import HindsightTree

@testable import RandomRecordings

/// Finds where texts appear by comparing whole states, without any filter. Shares no code with the search.
struct SearchOracle {
    struct Found: Hashable, CustomStringConvertible {
        var position: String
        var path: String
        var isName: Bool
        var value: String

        var description: String { "\(position) \(path)\(isName ? " (name)" : "") \(value)" }

        // By scalars: é and e with an accent are two names.
        static func == (one: Found, other: Found) -> Bool { one.bytes == other.bytes }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

        private var bytes: [UInt8] { Array(description.utf8) }
    }

    let text: String

    /// The places in the states of a recording.
    func places(in recording: RandomRecording) throws -> Set<Found> {
        var found: Set<Found> = []
        let start = "\(recording.start)"
        for (place, value) in matches(in: recording.initial) { found.insert(self.found(place, value, start)) }
        var state = recording.initial
        for write in recording.writes {
            var known = Set(matches(in: state).keys)
            for operation in write.patch?.operations ?? [] {
                known = Set(known.compactMap { moved($0, by: operation, in: state) })
                try Patch([operation]).apply(to: &state)
            }
            state = write.state
            for (place, value) in matches(in: state) where !known.contains(place) {
                found.insert(self.found(place, value, write.position.description))
            }
        }
        return found
    }

    private struct Place: Hashable {
        var names: [[UInt8]]
        var isName: Bool
    }

    private func found(_ place: Place, _ value: Node, _ position: String) -> Found {
        let path = NodePath(place.names.map { String(decoding: $0, as: UTF8.self) })
        return Found(position: position, path: path.description, isName: place.isName, value: value.json)
    }

    private func isMatch(_ string: String) -> Bool {
        let (whole, part) = (Array(string.utf8), Array(text.utf8))
        return whole.count >= part.count
            && (0...(whole.count - part.count)).contains { whole[$0...].starts(with: part) }
    }

    /// Whether a number is the one of the text, by its value.
    private func isNumber(_ literal: String) -> Bool {
        /// The digits that count, and the exponent of the last one.
        func value(_ literal: String) -> String {
            let parts = literal.lowercased().drop { $0 == "-" }.split(separator: "e")
            let mantissa = parts[0].split(separator: ".")
            var digits = mantissa.joined()
            var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - (mantissa.count > 1 ? mantissa[1].count : 0)
            while digits.first == "0" { digits.removeFirst() }
            while digits.last == "0" {
                digits.removeLast()
                exponent += 1
            }
            if digits.isEmpty { return "0" }
            return "\(literal.first == "-" ? "-" : "")\(digits)e\(exponent)"
        }
        return Double(text) != nil && value(literal) == value(text)
    }

    private func matches(in node: Node) -> [Place: Node] {
        var found: [Place: Node] = [:]
        func visit(_ node: Node, _ names: [[UInt8]]) {
            switch node {
            case .array(let elements):
                for (index, element) in elements.enumerated() { visit(element, names + [Array(String(index).utf8)]) }
            case .object(let members):
                for member in members {
                    let path = names + [Array(member.key.utf8)]
                    if isMatch(member.key) { found[Place(names: path, isName: true)] = .string(member.key) }
                    visit(member.value, path)
                }
            case .string(let string):
                if isMatch(string) { found[Place(names: names, isName: false)] = node }
            case .int, .number:
                if isNumber(node.json) { found[Place(names: names, isName: false)] = node }
            case .null, .bool, .data: break
            }
        }
        visit(node, [])
        return found
    }

    /// Where a place is after an operation; `nil` if it is gone.
    private func moved(_ place: Place, by operation: Patch.Operation, in state: Node) -> Place? {
        func shifted(_ array: NodePath, from: Int, removed: Int, inserted: Int) -> Place? {
            let prefix = array.components.map { Array($0.utf8) }
            guard place.names.count > prefix.count, place.names.starts(with: prefix),
                let index = Int(String(decoding: place.names[prefix.count], as: UTF8.self)), index >= from
            else { return place }
            if index < from + removed { return nil }
            var moved = place
            moved.names[prefix.count] = Array(String(index + inserted - removed).utf8)
            return moved
        }
        switch operation {
        case .replace, .edit: return place
        case .splice(let path, let at, let remove, let insert):
            return shifted(path, from: at, removed: remove.count, inserted: insert.count)
        case .add(let path, _, _):
            let parent = NodePath(Array(path.components.dropLast()))
            guard case .array? = state[parent], let index = Int(path.components.last ?? "") else { return place }
            return shifted(parent, from: index, removed: 0, inserted: 1)
        case .remove(let path, _, _):
            let parent = NodePath(Array(path.components.dropLast()))
            if case .array? = state[parent], let index = Int(path.components.last ?? "") {
                return shifted(parent, from: index, removed: 1, inserted: 0)
            }
            return place.names.starts(with: path.components.map { Array($0.utf8) }) ? nil : place
        }
    }
}
