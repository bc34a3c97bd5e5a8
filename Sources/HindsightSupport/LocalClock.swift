/// The local time of a place: how far it is from UTC, and when that changes.
package struct LocalClock: Sendable {
    /// The seconds by which local time is ahead of UTC, at a time in seconds since 1970.
    package var offset: @Sendable (_ seconds: Int) -> Int

    package init(offset: @escaping @Sendable (_ seconds: Int) -> Int) { self.offset = offset }

    /// The time zone of this process.
    package static let system = LocalClock { seconds in
        var time = time_t(seconds)
        var parts = tm()
        // Fails only for a year that does not fit; UTC then does.
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return Int(parts.tm_gmtoff)
    }

    /// The times, in seconds since 1970, at which clocks show a local date and time.
    ///
    /// None if clocks skip it because they are set forward, two if they show it again because they are set back.
    ///
    /// - Parameter local: The local time, in seconds since 1970-01-01T00:00:00 of that place.
    package func times(showing local: Int) -> [Int] {
        let offsets = Set([offset(local - 86_400), offset(local + 86_400)])
        return offsets.map { local - $0 }.filter { $0 + offset($0) == local }.sorted()
    }
}
