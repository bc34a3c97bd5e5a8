import HindsightSupport
import HindsightTree

/// The result of the verification of one file: a line of a JSON report.
struct VerificationOutcome: Equatable {
    enum Verdict: String {
        case equal, diverged, unknown, failed
    }

    let file: String
    let code: ExitCode
    let seconds: Double
    /// What the tool printed about the file, without colours.
    let text: String
    /// The object that `verify --json` prints.
    let result: Node?

    var verdict: Verdict {
        guard let result, result["error"] == nil else { return .failed }
        // A rule that does not hold is a difference also where nothing else could be compared.
        if case .null? = result["equal"], code != .difference { return .unknown }
        return code == .fine ? .equal : .diverged
    }

    /// The app; `nil` if it is not known.
    var app: String? { result?["app"]?.stringValue }

    /// One line: what differs and where, or why the file was not verified.
    var message: String {
        switch verdict {
        case .equal: "equal"
        case .unknown: "nothing could be compared"
        case .failed: result?["error"]?.stringValue ?? "not verified"
        case .diverged: brokenRules.isEmpty ? Self.message(of: result?["divergence"]) : brokenRules
        }
    }

    /// The rules that do not hold; empty if the reducers did something else, which says more.
    private var brokenRules: String {
        guard result?["divergence"]?["seq"] == nil, let rules = result?["rules"]?.arrayValue else { return "" }
        let broken = rules.filter { $0["broken"]?.intValue ?? 0 > 0 }.compactMap { rule in
            rule["rule"]?.stringValue.map { "rule \($0) fails at \(rule["first"]?.stringValue ?? "?")" }
        }
        return broken.joined(separator: ", ")
    }

    private static func message(of divergence: Node?) -> String {
        guard let divergence, let seq = divergence["seq"]?.intValue else { return "diverged" }
        let action = divergence["type"]?.stringValue.map { "action \(seq) (\($0))" } ?? "the initial state"
        let reducer = divergence["name"]?.stringValue.map { ", reducer \($0)" } ?? ""
        let path = divergence["path"]?.stringValue ?? ""
        return "diverged at \(action)\(reducer), path \(path.isEmpty ? "(the whole state)" : path)"
    }
}

extension VerificationOutcome {
    var json: Node {
        [
            "file": .string(file),
            "verdict": .string(verdict.rawValue),
            "exit": .int(Int(code.rawValue)),
            "seconds": .number(Self.digits(seconds)),
            "text": .string(text),
            "result": .optional(result),
        ]
    }

    init(file: String, code: ExitCode, seconds: Double, printed: String, result: Node?) {
        self.init(file: file, code: code, seconds: seconds, text: Self.plain(printed), result: result)
    }

    /// Seconds with three decimal places, for JSON and XML.
    static func digits(_ seconds: Double) -> String {
        let thousandths = Int(max(0, min(seconds, 1e9)) * 1000)
        return "\(thousandths / 1000).\(TimeText.padded(thousandths % 1000, 3))"
    }

    /// Text without the escape sequences of colours.
    private static func plain(_ text: String) -> String {
        let parts = text.unicodeScalars.split(separator: "\u{1B}", omittingEmptySubsequences: false)
        let rest = parts.dropFirst().map { part in String(part.drop { $0 != "m" }.dropFirst()) }
        return String(parts[0]) + rest.joined()
    }
}
