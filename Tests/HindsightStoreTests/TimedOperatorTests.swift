import Testing

@testable import HindsightStore

private typealias Instant = ContinuousClock.Instant

private let start = ContinuousClock.now

private func at(_ seconds: Int) -> Instant { start.advanced(by: .seconds(seconds)) }

extension TimedOperator where Instant == ContinuousClock.Instant {
    /// Adds a value, and returns what may be emitted at that time.
    fileprivate mutating func give(_ value: Value, at seconds: Int) -> Value? {
        receive(value, at: start.advanced(by: .seconds(seconds)))
        return take()
    }

    /// Advances the time, and returns what may be emitted then.
    fileprivate mutating func wake(atSecond seconds: Int) -> Value? {
        wake(at: start.advanced(by: .seconds(seconds)))
        return take()
    }
}

@Suite struct TimedOperatorTests {
    private func throttle(latest: Bool = true) -> TimedOperator<String, Instant> {
        TimedOperator(.throttle(latest: latest), interval: .seconds(10))
    }

    private let quiet = TimedOperator<String, Instant>(.debounce, interval: .seconds(10))

    @Test func `A throttle emits the first value at once, and the newest at the interval's end`() {
        var timing = throttle()
        #expect(timing.give("a", at: 0) == "a")
        #expect(timing.deadline == nil)
        #expect(timing.give("b", at: 1) == nil)
        #expect(timing.give("c", at: 9) == nil)
        #expect(timing.deadline == at(10))
        #expect(timing.wake(atSecond: 5) == nil)
        #expect(timing.wake(atSecond: 10) == "c")
        #expect(timing.give("d", at: 11) == nil)
        #expect(timing.wake(atSecond: 20) == "d")
        #expect(timing.give("e", at: 40) == "e")
    }

    @Test func `A throttle may emit the oldest value of an interval`() {
        var timing = throttle(latest: false)
        #expect(timing.give("a", at: 0) == "a")
        #expect(timing.give("b", at: 1) == nil)
        #expect(timing.give("c", at: 9) == nil)
        #expect(timing.wake(atSecond: 10) == "b")
    }

    @Test func `A throttle that wakes late emits the held value first, and holds the new one`() {
        var timing = throttle()
        #expect(timing.give("a", at: 0) == "a")
        #expect(timing.give("b", at: 1) == nil)
        #expect(timing.give("c", at: 12) == "b")
        #expect(timing.deadline == at(22))
        #expect(timing.wake(atSecond: 22) == "c")
    }

    @Test func `A debounce waits for a quiet interval`() {
        var timing = quiet
        #expect(timing.give("a", at: 0) == nil)
        #expect(timing.deadline == at(10))
        #expect(timing.give("b", at: 9) == nil)
        #expect(timing.deadline == at(19))
        #expect(timing.wake(atSecond: 10) == nil)
        #expect(timing.wake(atSecond: 19) == "b")
        #expect(timing.deadline == nil)
    }

    @Test func `A debounce that wakes late emits the old value before it holds the new one`() {
        var timing = quiet
        #expect(timing.give("a", at: 0) == nil)
        #expect(timing.give("b", at: 15) == "a")
        #expect(timing.wake(atSecond: 25) == "b")
    }

    @Test func `A newer value replaces one that was not fetched`() {
        var timing = quiet
        timing.receive("a", at: at(0))
        timing.wake(at: at(10))
        timing.receive("b", at: at(11))
        timing.wake(at: at(21))
        #expect(timing.take() == "b")
        #expect(timing.take() == nil)
    }
}
