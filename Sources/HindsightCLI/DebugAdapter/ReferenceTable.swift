import HindsightTree

/// The numbers by which a client names frames and containers of values, until the debugger moves.
///
/// Numbers are not given twice, so that one from before a step is refused, and means no other value.
struct ReferenceTable {
    /// A value that can be expanded.
    enum Container: Hashable {
        case state(NodePath)
        case action(Int, NodePath)
        /// What the step that led to the position changed.
        case changes
    }

    private var containers: [Container] = []
    private var numbers: [Container: Int] = [:]
    private var firstContainer = 1
    private(set) var firstFrame = 1

    /// The protocol allows numbers below 2³¹.
    private static let largest = 1 << 30

    mutating func reference(to container: Container) -> Int {
        if let number = numbers[container] { return number }
        let number = firstContainer + containers.count
        containers.append(container)
        numbers[container] = number
        return number
    }

    func container(_ number: Int) throws(AdapterFailure) -> Container {
        guard number >= firstContainer, number - firstContainer < containers.count else {
            throw AdapterFailure("The debugger has moved since the variables were listed. List them again.")
        }
        return containers[number - firstContainer]
    }

    mutating func forget(frameCount: Int) {
        firstContainer += containers.count
        firstFrame += frameCount
        if firstContainer > Self.largest { firstContainer = 1 }
        if firstFrame > Self.largest { firstFrame = 1 }
        (containers, numbers) = ([], [:])
    }
}
