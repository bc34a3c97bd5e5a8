import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport

/// How and where a reducer ended the process of an experiment, to tell whether another one ends in the same way.
struct CrashSite {
    let point: ReplayPoint
    let ending: ProcessEnding
    /// The trap's message, escaped; `nil` if it has none.
    let message: String?
    /// Where the thread was; `nil` if that is not known.
    let place: Place?

    /// Where the thread was.
    enum Place: Equatable {
        /// The innermost place in the executable, as an offset in it.
        case call(UInt64)
        /// The offsets of all calls in the executable, if the standard library is a part of it, so that the innermost
        /// says nothing. Those of a recursion count once.
        case calls(Set<UInt64>)
        /// The stack overflowed, which may happen in any of the calls.
        case overflow
    }

    init(_ point: ReplayPoint, _ ending: ProcessEnding, message: String?, signal: CrashSignal?, executable: String) {
        (self.point, self.ending, self.message) = (point, ending, message)
        // The record has the beginning of a long name.
        let image = String(decoding: executable.utf8.prefix(CrashRecord.ImageLayout.nameBytes), as: UTF8.self)
        let frames = signal?.frames.filter { $0.image == image }.compactMap(\.offset) ?? []
        if case .timeout = ending {
            // A process that hangs is interrupted anywhere.
            place = nil
        } else if signal?.isStackOverflow == true {
            place = .overflow
        } else if let first = frames.first {
            place = LoadedImages.hasSharedStandardLibrary ? .call(first) : .calls(Set(frames))
        } else {
            place = nil
        }
    }

    /// Whether the process was killed, as the system does if it takes too much memory, and other programs may do.
    var isKilled: Bool { ending == .signal(SIGKILL) }

    /// What it did, after "the reducers".
    var verb: String {
        if case .timeout(let seconds) = ending {
            "take longer than \(CrashReport.text(of: seconds)) s"
        } else {
            "end the process"
        }
    }

    /// The failure of an experiment whose actions do not run through as they were recorded.
    ///
    /// - Parameter seq: The number of the action in the recording.
    func failure(inAction seq: Int, of recording: Recording, _ tool: Tool) -> Failure {
        let hint =
            ending.isTimeout
            ? "--timeout SECONDS gives them more."
            : "\(tool.name) shrink \(tool.quoted(recording)) finds what it takes."
        let what = "the app's reducers \(verb) in action \(Quantities.grouped(seq)) when they run the recorded actions."
        return Failure(.crash, lines: ["\(tool.shown(recording)): \(what)"] + [message, hint].compactMap { $0 })
    }

    /// Whether both are the same fault, in two builds: in the same action, ended in the same way, with the same message but
    /// for numbers, which lines of code are, too.
    func isLike(_ other: CrashSite) -> Bool {
        point.seq == other.point.seq && ending == other.ending && Self.outline(message) == Self.outline(other.message)
    }

    /// Whether both are the same fault: the same reducer, ended in the same way, at the same place, with the same message.
    ///
    /// Where the place is known, numbers in the messages may differ: "index 7 out of range" is the same as of 2.
    func isSame(as other: CrashSite) -> Bool {
        guard point.reducer == other.point.reducer, point.phase == other.point.phase, ending == other.ending,
            place == other.place
        else { return false }
        if case .timeout = ending { return true }
        return place == nil ? message == other.message : Self.outline(message) == Self.outline(other.message)
    }

    /// A message with `#` for each number.
    private static func outline(_ message: String?) -> String? {
        message?.replacing(#/\d+/#, with: "#")
    }
}
