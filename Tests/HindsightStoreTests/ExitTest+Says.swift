import Testing

extension ExitTest.Result? {
    /// Whether the process ended with this message, in release builds too.
    func says(_ message: String) -> Bool {
        self.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains(message) } ?? false
    }
}
