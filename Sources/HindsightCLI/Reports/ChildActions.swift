import HindsightFormat
import HindsightRecording
import HindsightTree

/// The actions that an action led to: middleware, subscribers or effects dispatched them because of it.
///
/// A recording has no index of parents. These actions come soon after their parent, or shortly before it if middleware
/// dispatched them first, so only the actions around it are searched.
struct ChildActions {
    /// The first of them; `nil` if the actions around it cannot be read.
    let actions: [RecordedAction]?
    /// The numbers of all.
    private let seqs: [Int]
    private let searched: ClosedRange<Int>
    private let last: Int

    /// The numbers of actions to search. It takes about 30 ms.
    static let (before, after) = (1000, 100_000)
    private static let maxShown = 8

    init(of seq: Int, in recording: Recording) {
        let first = min(seq, max(recording.start.seq + 1, seq - Self.before))
        searched = first...max(seq, min(recording.actionCount, seq + Self.after))
        last = recording.actionCount
        do throws(RecordingError) {
            let found = try recording.children(of: seq, in: searched)
            var actions: [RecordedAction] = []
            for child in found.prefix(Self.maxShown) { actions.append(try recording.action(child)) }
            (self.actions, seqs) = (actions, found)
        } catch {
            // Another part of the file is damaged. The action itself can still be shown.
            (actions, seqs) = (nil, [])
        }
    }

    struct Facts: Answer {
        @Nullable var actions: [Int]?
        let searched: ClosedRange<Int>

        static let notes = ["actions": "that it led to"]
    }

    var facts: Facts { Facts(actions: actions == nil ? nil : seqs, searched: searched) }

    /// A line an action, and lines about those that are not listed.
    func lines(_ console: Console) -> [String] {
        guard let actions else { return [console.style.bad("not known: the actions around it cannot be read")] }
        let digits = String(actions.map(\.seq).max() ?? 0).count
        var lines = actions.map { action in
            let words = ActionLine.name(of: action, width: console.terminal.width - digits - 16)
            return "\(String(action.seq).alignedRight(to: digits))  \(words)"
        }
        if let last = seqs.last, seqs.count > actions.count {
            let more = Quantities.grouped(seqs.count - actions.count)
            lines.append(console.style.faint("and \(more) more, up to action \(last)"))
        }
        if searched.upperBound < last {
            let words = seqs.isEmpty ? "nothing up to action" : "actions were not searched after"
            lines.append(console.style.faint("\(words) \(Quantities.grouped(searched.upperBound))"))
        }
        return lines
    }
}
