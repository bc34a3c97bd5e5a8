import HindsightSupport

/// A part of a derived value. Does not know the types of its input and output, so that a loop over parts looks up none.
class AnyDerivedPart {
    /// Reads the part's output from an input, and returns whether it has changed.
    func refresh(from input: UnsafeRawPointer) -> Bool { false }
}

/// A part of a derived value, and its last output.
///
/// A property that is stored in the input is compared where it is, because reading it through its key path costs
/// several times the comparison.
///
/// Sound: only the selection of an `Input` refreshes this part, the standard library knows the offset, and `last` is
/// initialized once ``refresh(from:)`` has returned, which the selection calls first. `last` keeps its objects alive,
/// so two outputs with the same bits are the same value. Different bits may be padding, so they decide nothing.
final class DerivedPart<Input, Output>: AnyDerivedPart {
    private let offset: Int?
    /// `nil` if the output cannot be compared, so that each counts as changed.
    private let isSame: ((Output, Output) -> Bool)?
    private let selection: (Input) -> Output
    private let last: UnsafeMutablePointer<Output>
    private var isSet = false

    init(_ selector: some StateSelector<Input, Output>) {
        offset = (selector as? PathSelector<Input, Output>).flatMap { MemoryLayout<Input>.offset(of: $0.path) }
        isSame = equality(of: Output.self)
        selection = selector.makeSelection()
        last = .allocate(capacity: 1)
    }

    deinit {
        if isSet { last.deinitialize(count: 1) }
        last.deallocate()
    }

    var output: Output { last.pointee }

    override func refresh(from input: UnsafeRawPointer) -> Bool {
        if let offset {
            let place = (input + offset).assumingMemoryBound(to: Output.self)
            if isSet, let isSame {
                if memcmp(last, place, MemoryLayout<Output>.size) == 0 { return false }
                if isSame(last.pointee, place.pointee) { return false }
            }
            keep(place.pointee)
        } else {
            let output = selection(input.assumingMemoryBound(to: Input.self).pointee)
            if isSet, let isSame, isSame(last.pointee, output) { return false }
            keep(output)
        }
        return true
    }

    private func keep(_ output: Output) {
        if isSet {
            last.pointee = output
        } else {
            last.initialize(to: output)
            isSet = true
        }
    }
}
