import HindsightSupport

/// Makes the names of an app's runs in their directory.
package struct RunName {
    /// The values of a pattern's placeholders.
    package var values: [String: String]

    package static let suffix = ".hindsight"
    /// Leaves room for a number and the suffixes of sidecar files in a file name.
    private static let longest = 200

    /// - Parameters:
    ///   - now: In nanoseconds since 1970. Dates and times are UTC, so that names sort in the order of the runs.
    package init(app: AppInfo, now: Int64, process: Int32) {
        let parts = TimeText.utc(nanoseconds: now).split(separator: "T")
        let time = parts[1].prefix(8).split(separator: ":").joined(separator: "-")
        values = ["app": app.name, "version": app.version, "date": "\(parts[0])", "time": time, "pid": "\(process)"]
    }

    /// Returns the first name of a pattern; or, with a number from 2 on, an alternative if that is taken.
    ///
    /// - Throws: A ``RecordingError`` with the code `badRunName` if a placeholder is unknown.
    package func name(by pattern: String, number: Int) throws(RecordingError) -> String {
        var name = try filled(pattern)
        if name.hasSuffix(Self.suffix) { name.removeLast(Self.suffix.count) }
        name = String(name.unicodeScalars.map(Self.harmless).reduce(into: "") { $0.unicodeScalars.append($1) })
        // Hidden files are hard to find.
        if name.isEmpty || name.hasPrefix(".") { name = "run" + name }
        while name.utf8.count > Self.longest { name.unicodeScalars.removeLast() }
        return name + (number > 1 ? "-\(number)" : "") + Self.suffix
    }

    private func filled(_ pattern: String) throws(RecordingError) -> String {
        var name = ""
        var rest = pattern[...]
        while let start = rest.firstIndex(of: "{") {
            name += rest[..<start]
            rest = rest[start...].dropFirst()
            guard let end = rest.firstIndex(of: "}"), let value = values[String(rest[..<end])] else {
                let allowed = values.keys.sorted().map { "{\($0)}" }
                throw RecordingError(.badRunName, given: pattern, allowed: allowed)
            }
            name += value
            rest = rest[end...].dropFirst()
        }
        return name + rest
    }

    /// Replaces separators of paths, and characters without a look.
    private static func harmless(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar.isUnprintable || "/:\\".unicodeScalars.contains(scalar) ? "-" : scalar
    }
}
