import Testing

extension ExitTest.Result? {
    /// Whether the process ended with this message. Release builds print none.
    func says(_ message: String) -> Bool {
        #if DEBUG
            self.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains(message) } ?? false
        #else
            self != nil
        #endif
    }
}
