import Testing

extension ExitTest.Result? {
    /// Whether the process ended with this message. Programs that are built for release say nothing.
    func says(_ message: String) -> Bool {
        #if DEBUG
            self.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains(message) } ?? false
        #else
            self != nil
        #endif
    }
}
