import Foundation

/// The list of recordings that a test run has used, for `hindsight review --references`.
enum ReferenceList {
    /// Appends the path of a recording to the file that the environment variable `HINDSIGHT_REFERENCES` names.
    ///
    /// Tests of several processes may append at the same time: each line is one write.
    ///
    /// - Returns: Why the path could not be noted; `nil` if it was, or if the variable is not set.
    static func note(
        _ recording: URL,
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        guard let list = environment["HINDSIGHT_REFERENCES"], !list.isEmpty else { return nil }
        let descriptor = open(list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return failure(list) }
        defer { close(descriptor) }
        let line = Array((recording.standardizedFileURL.path + "\n").utf8)
        return write(descriptor, line, line.count) == line.count ? nil : failure(list)
    }

    private static func failure(_ list: String) -> String {
        "HINDSIGHT_REFERENCES names \(list), which cannot be written: \(String(cString: strerror(errno)))."
    }
}
