import Foundation
import HindsightSupport

/// Takes what reducers, and the Swift runtime when they trap, print on the error stream of a replay's own process.
///
/// A trap's message may quote the state, and that comes from a file: so it is shown escaped, and in the report of the
/// crash. The child's own words do not go this way.
struct ErrorRelay {
    private var line: [UInt8] = []
    /// What looks like the message of a trap, and what came after it: shown when it is known whether it was one.
    private var held: [String] = []
    /// Empty lines that may be the backtracer's.
    private var emptyLines = 0
    /// The signal that Swift's backtracer was started for; `nil` while it was not.
    private(set) var tracedSignal: Int32?
    /// What Swift's backtracer has found.
    private(set) var backtrace: Backtrace?

    /// Longer lines are cut up, so that nothing grows without bound. A backtrace is one line.
    private static let longestLine = 1 << 16
    private static let longestBacktrace = 1 << 22
    private static let mostHeld = 50

    mutating func take(_ bytes: some Sequence<UInt8>, _ show: (String) -> Void) {
        for byte in bytes { take(byte, show) }
    }

    private mutating func take(_ byte: UInt8, _ show: (String) -> Void) {
        if byte != UInt8(ascii: "\n") { line.append(byte) }
        let longest = tracedSignal == nil ? Self.longestLine : Self.longestBacktrace
        guard byte == UInt8(ascii: "\n") || line.count >= longest else { return }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if tracedSignal != nil {
            // Nothing but the backtracer runs now.
            if backtrace == nil { backtrace = Backtrace(json: text) }
        } else if let signal = Self.signal(ofBacktrace: text) {
            (tracedSignal, emptyLines) = (signal, 0)
        } else if Self.isRuntimes(text) {
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
            if held.count > Self.mostHeld { release(show) }
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

    /// Ends it.
    ///
    /// - Parameter crashed: Whether a trap ended the child.
    /// - Returns: What the trap said, escaped and cut; `nil` where it said nothing.
    mutating func finish(crashed: Bool, _ show: (String) -> Void) -> String? {
        if !line.isEmpty { take(UInt8(ascii: "\n"), show) }
        defer { release(show) }
        guard crashed, !held.isEmpty else { return nil }
        // Debug builds of the runtime add how it came there: addresses of this one run.
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

    /// What the runtime has to say of the backtracer, such as of a thread that it could not suspend for it.
    private static func isRuntimes(_ line: String) -> Bool {
        line.hasPrefix("swift-runtime: ") || line.hasPrefix("swift runtime: ")
    }

    /// `*** Signal 4: Backtracing from 0x7fe47dd6df7f...`, as the runtime writes it when it starts the backtracer. It may
    /// stand behind text that no line feed ended.
    private static func signal(ofBacktrace line: String) -> Int32? {
        guard let start = line.range(of: "*** Signal "), line.contains(": Backtracing from ") else { return nil }
        return Int32(line[start.upperBound...].prefix { $0.isNumber })
    }
}
