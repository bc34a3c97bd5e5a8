import HindsightQuery
import HindsightTree

/// A member or an element of a value, as a debugger lists it.
package struct Variable: Sendable {
    /// The member's name, or the element's index.
    package let name: String
    /// Where it is.
    package let path: NodePath
    /// The value, with everything in it. Copying it costs nothing.
    package let value: Node
    /// Whether the step that led to the present position changed it, or something in it.
    package let isChanged: Bool
}

extension Node {
    /// The number of members or elements; 0 for a single value.
    private var childCount: Int {
        switch self {
        case .array(let elements): elements.count
        case .object(let members): members.count
        default: 0
        }
    }

    /// Some of the members or elements, in their order.
    ///
    /// - Parameter range: Which of them. It may exceed their number.
    func variables(_ range: Range<Int>, at path: NodePath, _ changed: ChangedPlaces?) -> [Variable] {
        let range = range.clamped(to: 0..<childCount)
        func variable(_ name: String, _ value: Node) -> Variable {
            let place = path.appending(name)
            return Variable(name: name, path: place, value: value, isChanged: changed?.contain(place) ?? false)
        }
        return switch self {
        case .array(let elements): range.map { variable(String($0), elements[$0]) }
        case .object(let members): members[range].map { variable($0.key, $0.value) }
        default: []
        }
    }
}
