import HindsightRecording
import HindsightTree

/// How a recording ended, in words.
struct EndingText {
    let recording: Recording
    let style: Style

    /// All there is to say, on one line.
    var sentence: String {
        switch recording.ending {
        case .closed:
            return style.good("closed")
        case .open(live: true):
            return "open: it is being recorded now"
        case .open(live: false):
            if let reason = recording.stopped {
                return style.bad("open") + ": the recorder had to stop, all before that is here. \(brief(reason))"
            }
            if let salvaged = recording.salvaged {
                return "open: this is a part that was saved out of a damaged recording, \(brief(salvaged))"
            }
            return "open: its process ended without closing it; all actions are here"
        case .crashed(let seq, let reducer):
            return style.bad("crashed") + " in action \(seq), \(place(reducer)); the state after it is not known"
        }
    }

    /// Where the process ended, for a line under the action in which it did; `nil` where it ended in none.
    var mark: String? { crash.map { style.bad("↑") + " " + $0 } }

    /// The same by itself.
    var crash: String? {
        guard case .crashed(_, let reducer) = recording.ending else { return nil }
        return style.bad("its process ended here")
            + ", \(reducer == nil ? "" : "in ")\(place(reducer)); the state after it is not known"
    }

    private func place(_ reducer: Int?) -> String {
        guard let reducer else { return "outside of its reducers" }
        let name = recording.name(ofReducer: reducer) ?? "?"
        return "reducer \(reducer) of \(recording.reducers.count) (\(brief(name)))"
    }
}

extension JSONShapes {
    /// How a recording ended: `ended`, `live` and `crash`, of `info`, `tail` and `recover`.
    static func ending(of recording: Recording) -> (ended: Node, live: Node, crash: Node) {
        switch recording.ending {
        case .closed: return ("closed", false, .null)
        case .open(let isLive): return ("open", .bool(isLive), .null)
        case .crashed(let seq, let reducer):
            let crash: Node = [
                "seq": .int(seq),
                "reducer": .optional(reducer.map(Node.int)),
                "name": .optional(reducer.map { .string(recording.name(ofReducer: $0) ?? "?") }),
            ]
            return ("crashed", false, crash)
        }
    }
}
