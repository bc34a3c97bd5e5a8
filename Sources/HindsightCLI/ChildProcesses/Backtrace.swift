import Foundation
import HindsightSupport
import HindsightTree

/// The frames of the crashed thread, from Swift's backtracer.
struct Backtrace: Equatable {
    /// A call in the app's code.
    struct Frame: Equatable {
        /// The function, demangled: `Cart.price(of:)`.
        let function: String
        let file: String?
        let line: Int?
    }

    /// The calls of the app, innermost first, without those of the standard library and of Hindsight.
    let frames: [Frame]
    /// Whether the stack overflowed.
    let isOverflow: Bool
    /// The calls that repeat, if the stack overflowed.
    let cycle: [Frame]

    /// Reads the backtracer's JSON; `nil` for any other text.
    init?(json: String) {
        guard json.hasPrefix("{"),
            let report = try? JSONDecoder().decode(Report.self, from: Data(json.utf8)),
            let thread = report.threads.first(where: { $0.crashed == true }) ?? report.threads.first
        else { return nil }
        // The callers of the reducer belong to Hindsight.
        let calls = thread.frames.filter { $0.kind != "truncated" }
        let inner = Array(calls.prefix { !($0.symbol ?? "").hasPrefix("$s15HindsightReplay") })
        let isReached = inner.count < calls.count
        let repeating = isReached ? [] : Self.cycle(in: inner)
        isOverflow = !isReached && (!repeating.isEmpty && Self.isAtStackEnd(report, thread))
        cycle = isOverflow ? Self.appFrames(repeating) : []
        frames = Self.appFrames(inner)
    }

    private static func appFrames(_ calls: [Report.Call]) -> [Frame] {
        let shown = calls.filter(\.isInApp)
        // If some calls have lines, the compiler has generated those without.
        let located = shown.filter(\.isLocated)
        return (located.isEmpty ? shown : located).map { call in
            Frame(
                function: call.function,
                file: call.file,
                line: call.isLocated ? call.sourceLocation?.line : nil
            )
        }
    }

    /// The shortest sequence of calls that repeats at least three times, near the innermost call.
    private static func cycle(in calls: [Report.Call]) -> [Report.Call] {
        let names = calls.map { $0.symbol ?? $0.address ?? "" }
        for start in 0..<min(12, names.count) {
            for length in 1...24 where start + 3 * length <= names.count {
                let end = start + 3 * length
                if (start..<end - length).allSatisfy({ names[$0] == names[$0 + length] }) {
                    return Array(calls[start..<start + length])
                }
            }
        }
        return []
    }

    /// Whether the address of the fault is near the stack pointer, at the end of the stack.
    private static func isAtStackEnd(_ report: Report, _ thread: Report.Thread) -> Bool {
        func number(_ text: String?) -> UInt64? { text.flatMap { UInt64($0.dropFirst(2), radix: 16) } }
        let registers = thread.registers ?? [:]
        guard let fault = number(report.faultAddress), let stack = number(registers["rsp"] ?? registers["sp"]) else {
            return true
        }
        let distance = fault > stack ? fault - stack : stack - fault
        return distance < 1 << 20
    }
}

extension Backtrace.Frame {
    /// `at Cart.price(of:), Sources/Shop/Cart.swift:12`
    var text: String {
        let name = brief(function, longest: 120)
        guard let file else { return "at \(name)" }
        let here = FileManager.default.currentDirectoryPath + "/"
        let path = file.hasPrefix(here) ? String(file.dropFirst(here.count)) : file
        return "at \(name), \(escape(path))" + (line.map { ":\($0)" } ?? "")
    }

    var json: Node {
        [
            "function": .string(function),
            "file": .optional(file.map(Node.string)),
            "line": .optional(line.map(Node.int)),
        ]
    }
}

/// The needed part of the backtracer's output with `format=json`.
private struct Report: Decodable {
    let faultAddress: String?
    let threads: [Thread]

    struct Thread: Decodable {
        let crashed: Bool?
        let registers: [String: String]?
        let frames: [Call]
    }

    struct Call: Decodable {
        let kind: String
        let address: String?
        let symbol: String?
        let description: String?
        let image: String?
        let system: Bool?
        let thunk: Bool?
        let sourceLocation: Location?

        struct Location: Decodable {
            let file: String
            let line: Int
        }

        var file: String? {
            guard let file = sourceLocation?.file, !file.contains("<compiler-generated>") else { return nil }
            return file
        }

        /// Optimized code may have a file and no line, which is 0 then.
        var isLocated: Bool { file != nil && sourceLocation.map { $0.line > 0 } ?? false }

        /// The beginnings of mangled names in modules of the standard library and of Hindsight.
        private static let others = [
            "$ss", "$sS", "$s10Foundation", "$s20FoundationEssentials", "$s15Synchronization", "$s14HindsightStore",
            "$s13HindsightTree", "$s15HindsightFormat", "$s16HindsightSupport", "$s17HindsightRecorder",
            "$s18HindsightRecording", "$s12HindsightCLI",
        ]

        var isInApp: Bool {
            guard system != true, thunk != true, let symbol else { return false }
            if Self.others.dropFirst(2).contains(where: symbol.hasPrefix) { return false }
            if isLocated { return true }
            let isSystemImage = image.map { $0.hasPrefix("lib") || $0.hasPrefix("ld-") } ?? true
            return !isSystemImage && symbol.hasPrefix("$s") && !Self.others.contains(where: symbol.hasPrefix)
        }

        /// The name without the offset, and without the empty context of a closure outside of functions.
        var function: String {
            var text = description ?? symbol ?? "?"
            if let plus = text.range(of: " + ", options: .backwards), text[plus.upperBound...].allSatisfy(\.isNumber) {
                text = String(text[..<plus.lowerBound])
            }
            text = text.trimmingCharacters(in: .whitespaces)
            return text.hasSuffix(" in") ? String(text.dropLast(3)) : text
        }
    }
}
