/// JUnit XML as CI systems read it: a suite for each app, and a case for each recording.
enum JUnitReport {
    static func text(_ outcomes: [VerificationOutcome]) -> String {
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites\(counts(outcomes))>"]
        for (name, suite) in outcomes.grouped(by: { $0.app ?? "recordings" }) {
            lines.append("  <testsuite name=\"\(escaped(name))\"\(counts(suite))>")
            for outcome in suite { lines += self.lines(outcome, suite: name) }
            lines.append("  </testsuite>")
        }
        return (lines + ["</testsuites>", ""]).joined(separator: "\n")
    }

    private static func counts(_ outcomes: [VerificationOutcome]) -> String {
        func count(_ verdicts: VerificationOutcome.Verdict...) -> Int {
            outcomes.count { verdicts.contains($0.verdict) }
        }
        let seconds = VerificationOutcome.digits(outcomes.reduce(0) { $0 + $1.seconds })
        return " tests=\"\(outcomes.count)\" failures=\"\(count(.diverged))\" errors=\"\(count(.failed))\""
            + " skipped=\"\(count(.unknown))\" time=\"\(seconds)\""
    }

    private static func lines(_ outcome: VerificationOutcome, suite: String) -> [String] {
        let element: String? =
            switch outcome.verdict {
            case .equal: nil
            case .diverged: "failure"
            case .failed: "error"
            case .unknown: "skipped"
            }
        let seconds = VerificationOutcome.digits(outcome.seconds)
        let head = "<testcase classname=\"\(escaped(suite))\" name=\"\(escaped(outcome.file))\" time=\"\(seconds)\""
        guard let element else { return ["    \(head)/>"] }
        let message = "<\(element) message=\"\(escaped(outcome.message))\""
        let body = element == "skipped" ? "/>" : ">\(escaped(outcome.text))</\(element)>"
        return ["    \(head)>", "      \(message)\(body)", "    </testcase>"]
    }

    /// Text for an attribute or an element. A scalar that XML 1.0 cannot hold becomes U+FFFD.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // In an attribute, a parser reads these as spaces.
            case "\n": result += "&#10;"
            case "\t": result += "&#9;"
            case "\r": result += "&#13;"
            case "\u{00}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
