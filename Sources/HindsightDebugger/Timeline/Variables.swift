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
    /// Some of the members or elements, in their order.
    ///
    /// - Parameter range: Which of them. It may exceed their number.
    func variables(_ range: Range<Int>, at path: NodePath, _ changed: ChangedPlaces?) -> [Variable] {
        func variable(_ name: String, _ value: Node) -> Variable {
            let place = path.appending(name)
            return Variable(name: name, path: place, value: value, isChanged: changed?.contain(place) ?? false)
        }
        return switch self {
        case .array(let elements): range.clamped(to: elements.indices).map { variable(String($0), elements[$0]) }
        case .object(let members): members[range.clamped(to: members.indices)].map { variable($0.key, $0.value) }
        default: []
        }
    }
}
