import Foundation
import HindsightSupport

/// Reads the error stream of a replay's child process: the text of reducers, and of the Swift runtime if they trap.
///
/// A trap's message may quote the state, which comes from a file. It is therefore escaped, and shown in the report of
/// the crash. The child's own messages use another descriptor.
struct ErrorRelay {
    private var line: [UInt8] = []
    /// A possible trap message and the lines after it, held back until the child ends.
    private var held: [String] = []
    /// Empty lines that may be the backtracer's.
    private var emptyLines = 0
    /// The signal for which Swift's backtracer runs; `nil` if it does not run.
    private(set) var tracedSignal: Int32?
    /// The result of Swift's backtracer.
    private(set) var backtrace: Backtrace?

    /// Longer lines are split, so that memory stays limited. A backtrace is one line.
    private static let maxLineLength = 1 << 16
    private static let maxBacktraceLength = 1 << 22
    private static let maxHeld = 50

    mutating func take(_ bytes: some Sequence<UInt8>, _ show: (String) -> Void) {
        for byte in bytes { take(byte, show) }
    }

    private mutating func take(_ byte: UInt8, _ show: (String) -> Void) {
        if byte != UInt8(ascii: "\n") { line.append(byte) }
        let longest = tracedSignal == nil ? Self.maxLineLength : Self.maxBacktraceLength
        guard byte == UInt8(ascii: "\n") || line.count >= longest else { return }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if tracedSignal != nil {
            // Only the backtracer writes now.
            if backtrace == nil { backtrace = Backtrace(json: text) }
        } else if let signal = Self.signal(ofBacktrace: text) {
            (tracedSignal, emptyLines) = (signal, 0)
        } else if Self.isRuntimeRemark(text) {
            return
        } else if text.isEmpty, held.isEmpty {
            emptyLines += 1
        } else if Self.isTrap(text) {
            release(show)
            held = [text]
        } else if held.isEmpty {
            showEmptyLines(show)
            show(escape(text))
        } else {
            held.append(text)
            if held.count > Self.maxHeld { release(show) }
        }
    }

    private mutating func showEmptyLines(_ show: (String) -> Void) {
        for _ in 0..<emptyLines { show("") }
        emptyLines = 0
    }

    private mutating func release(_ show: (String) -> Void) {
        showEmptyLines(show)
        for text in held { show(escape(text)) }
        held = []
    }

    /// Ends the stream.
    ///
    /// - Parameter crashed: Whether a trap ended the child.
    /// - Returns: The trap's message, escaped and cut; `nil` if it has none.
    mutating func finish(crashed: Bool, _ show: (String) -> Void) -> String? {
        if !line.isEmpty { take(UInt8(ascii: "\n"), show) }
        defer { release(show) }
        guard crashed, !held.isEmpty else { return nil }
        // Debug builds of the runtime add a stack trace, whose addresses differ from run to run.
        let message = held.prefix { !$0.hasPrefix("Current stack trace") }.joined(separator: "\n").trimmingCharacters(
            in: .whitespacesAndNewlines
        )
        held = []
        return message.isEmpty ? nil : brief(message)
    }

    /// `MyApp/Cart.swift:12: Fatal error: no such line`, as the runtime writes it.
    private static func isTrap(_ line: String) -> Bool {
        TrapMessage.beginnings.contains { words in
            line.hasPrefix(words) || line.contains(": \(words)")
        }
    }

    /// Whether a line is the runtime's remark on the backtracer, such as on a thread that it could not suspend.
    private static func isRuntimeRemark(_ line: String) -> Bool {
        line.hasPrefix("swift-runtime: ") || line.hasPrefix("swift runtime: ")
    }

    /// `*** Signal 4: Backtracing from 0x7fe47dd6df7f...`, as the runtime writes it when it starts the backtracer. It
    /// may follow text without a line feed.
    private static func signal(ofBacktrace line: String) -> Int32? {
        guard let start = line.range(of: "*** Signal "), line.contains(": Backtracing from ") else { return nil }
        return Int32(line[start.upperBound...].prefix { $0.isNumber })
    }
}
