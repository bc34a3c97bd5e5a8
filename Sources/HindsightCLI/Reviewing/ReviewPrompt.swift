import Foundation
import HindsightSupport

/// Asks for a decision about each class.
struct ReviewPrompt {
    let report: ReviewReport
    let console: Console
    /// The next key, or the first character of the next line; `nil` at the end of the input.
    let nextKey: () -> Character?

    private static let help = """
          a  accept: the recordings get today's states
          r  reject: the reducers are to be fixed, nothing is written
          s  skip: decide later
          d  details: show all changes of the example, and the recordings
          A, R, S  the same for this class and all that are left
          q  quit, and write nothing
        A recording is rewritten once all its classes are accepted.
        """

    /// - Returns: Whether all classes have a decision; `false` if the user quit.
    func decide(_ review: inout Review) -> Bool {
        for index in review.classes.indices where review.classes[index].decision == nil {
            report.print(index, of: review)
            guard decide(index, &review) else { return false }
        }
        return true
    }

    private func decide(_ index: Int, _ review: inout Review) -> Bool {
        let isCrash = review.classes[index].isCrash
        while true {
            let accept = isCrash ? "" : "[a]ccept "
            console.output.write("\(accept)[r]eject [s]kip [d]etails [A R S] all left [q]uit [?] ")
            console.output.flush()
            guard let key = nextKey() else {
                console.print()
                return false
            }
            switch key {
            case "a" where isCrash:
                console.print()
                console.print("A crash leaves no state to accept: reject or skip it.")
            case "a": return set(.accepted, index...index, &review)
            case "r": return set(.rejected, index...index, &review)
            case "s": return set(.skipped, index...index, &review)
            case "A": return set(.accepted, index...review.classes.count - 1, &review)
            case "R": return set(.rejected, index...review.classes.count - 1, &review)
            case "S": return set(.skipped, index...review.classes.count - 1, &review)
            case "d":
                console.print("details")
                report.print(index, of: review, isFull: true)
            case "q", "Q":
                console.print("quit")
                return false
            case "?", "h":
                console.print("help")
                console.print(Self.help)
            default:
                console.print()
                console.print("? prints what the keys do.")
            }
        }
    }

    private func set(_ decision: ReviewClass.Decision, _ range: ClosedRange<Int>, _ review: inout Review) -> Bool {
        for index in range where review.classes[index].decision == nil {
            review.decide(index, decision)
            // What cannot be accepted is left for later.
            if review.classes[index].decision == nil { review.decide(index, .skipped) }
        }
        console.print(range.count > 1 ? "\(decision.rawValue) all \(range.count)" : decision.rawValue)
        return true
    }
}
