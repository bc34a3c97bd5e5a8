import HindsightRecorder
import HindsightTree

/// Simpler values, for shrinking the payload of an action.
extension Node {
    /// A value that is simpler than this one: shorter, with a part less, or with a number nearer to 0. All are strictly
    /// simpler, so that simplifying ends.
    ///
    /// - Parameter number: The number of the value, from 0. The boldest come first.
    /// - Returns: `nil` if there are not so many.
    func simplified(_ number: Int) -> Node? {
        var rest = number
        return simplification(&rest)
    }

    /// Finds the value with a number, or counts the number down by how many there are.
    private func simplification(_ number: inout Int) -> Node? {
        let whole = simplerAsWhole
        if number < whole.count { return whole[number] }
        number -= whole.count
        for (name, value) in children {
            guard let simpler = value.simplification(&number) else { continue }
            return replacing(literally: [name]) { _ in simpler }
        }
        return nil
    }

    /// The simpler values that do not keep all parts.
    private var simplerAsWhole: [Node] {
        switch self {
        case .null, .data([]): []
        case .bool(let value): value ? [.bool(false)] : []
        case .int(let value): Self.nearerToZero(value).map(Node.int)
        case .number(let text):
            // A fraction becomes an integer. What is beyond 64 bits stays.
            Double(text).flatMap { Int(exactly: $0.rounded(.towardZero)) }.map { [.int(0), .int($0)] } ?? []
        case .string(let text):
            Self.shorter(Array(text.unicodeScalars)).map { .string(String(String.UnicodeScalarView($0))) }
        case .data(let bytes): Self.shorter(bytes).map(Node.data)
        case .array(let elements): Self.shorter(elements).map(Node.array)
        case .object(let members):
            members.indices.map { index in
                var copy = members
                copy.remove(at: index)
                return .object(copy)
            }
        }
    }

    private static func nearerToZero(_ value: Int) -> [Int] {
        guard value != 0 else { return [] }
        var found = value.magnitude > 1 ? [0, value.signum()] : [0]
        // Nearer and nearer to the value, as in a binary search.
        var step = value / 2
        while step != 0 {
            if !found.contains(value - step) { found.append(value - step) }
            step /= 2
        }
        return found
    }

    /// Nothing, each half, and if it is not long, all but each element.
    private static func shorter<Element>(_ list: [Element]) -> [[Element]] {
        guard !list.isEmpty else { return [] }
        var found: [[Element]] = [[]]
        if list.count > 1 {
            found += [Array(list[..<(list.count / 2)]), Array(list[(list.count / 2)...])]
        }
        if 3...Self.maxElements ~= list.count {
            found += list.indices.map { index in Array(list[..<index] + list[(index + 1)...]) }
        }
        return found
    }

    /// The most elements that are left out one by one.
    private static let maxElements = 64
}
