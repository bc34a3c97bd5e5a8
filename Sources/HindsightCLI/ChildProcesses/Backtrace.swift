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

    /// Reads the backtracer's JSON; `nil` for any other text.
    init?(json: String) {
        guard json.hasPrefix("{"),
            let report = try? JSONDecoder().decode(Report.self, from: Data(json.utf8)),
            let thread = report.threads.first(where: { $0.crashed == true }) ?? report.threads.first
        else { return nil }
        // The callers of the reducer belong to Hindsight. A deep stack lacks its middle.
        let calls = thread.frames.prefix { call in
            !["omittedFrames", "truncated"].contains(call.kind) && !(call.symbol ?? "").hasPrefix("$s15HindsightReplay")
        }
        let shown = calls.filter(\.isInApp)
        // If some calls have lines, the compiler has generated those without.
        let located = shown.filter(\.isLocated)
        frames = (located.isEmpty ? shown : located).map { call in
            Frame(function: call.function, file: call.file, line: call.isLocated ? call.sourceLocation?.line : nil)
        }
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
    let threads: [Thread]

    struct Thread: Decodable {
        let crashed: Bool?
        let frames: [Call]
    }

    struct Call: Decodable {
        let kind: String
        let symbol: String?
        let description: String?
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

        /// Whether it is neither of the system or the standard library, nor of Hindsight.
        var isInApp: Bool {
            guard system != true, thunk != true, let symbol else { return false }
            // A mangled name has the module after its length: `$s14HindsightStore7ReducerV`.
            let module = symbol.drop { !$0.isNumber }.drop { $0.isNumber }
            if ["Hindsight", "Foundation", "Synchronization"].contains(where: module.hasPrefix) { return false }
            return isLocated || symbol.hasPrefix("$s") && !symbol.hasPrefix("$ss") && !symbol.hasPrefix("$sS")
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
