import Testing

@testable import HindsightStore

private typealias Instant = ContinuousClock.Instant

private let start = ContinuousClock.now

private func at(_ seconds: Int) -> Instant { start.advanced(by: .seconds(seconds)) }

extension TimedMachine where Instant == ContinuousClock.Instant {
    /// Gives a value, and then what may go out at that time.
    fileprivate mutating func give(_ value: Output, at seconds: Int) -> Output? {
        arrived(value, at: start.advanced(by: .seconds(seconds)))
        return take()
    }

    /// Lets time pass, and gives what may go out then.
    fileprivate mutating func wake(at seconds: Int) -> Output? {
        woken(at: start.advanced(by: .seconds(seconds)))
        return take()
    }
}

@Suite struct OperatorMachineTests {
    private func throttling(latest: Bool = true) -> Throttling<String, Instant> {
        Throttling(interval: .seconds(10), latest: latest)
    }

    private let quiet = Debouncing<String, Instant>(interval: .seconds(10))

    @Test func `A throttle lets the first value out at once, and the newest at the interval's end`() {
        var machine = throttling()
        #expect(machine.give("a", at: 0) == "a")
        #expect(machine.deadline == nil)
        #expect(machine.give("b", at: 1) == nil)
        #expect(machine.give("c", at: 9) == nil)
        #expect(machine.deadline == at(10))
        #expect(machine.wake(at: 5) == nil)
        #expect(machine.wake(at: 10) == "c")
        #expect(machine.give("d", at: 11) == nil)
        #expect(machine.wake(at: 20) == "d")
        #expect(machine.give("e", at: 40) == "e")
    }

    @Test func `A throttle may let the oldest value of an interval out`() {
        var machine = throttling(latest: false)
        #expect(machine.give("a", at: 0) == "a")
        #expect(machine.give("b", at: 1) == nil)
        #expect(machine.give("c", at: 9) == nil)
        #expect(machine.wake(at: 10) == "b")
    }

    @Test func `A throttle that is woken late gives the held value first, and holds the new one`() {
        var machine = throttling()
        #expect(machine.give("a", at: 0) == "a")
        #expect(machine.give("b", at: 1) == nil)
        #expect(machine.give("c", at: 12) == "b")
        #expect(machine.deadline == at(22))
        #expect(machine.wake(at: 22) == "c")
    }

    @Test func `A throttle's held value comes out at the end, once`() {
        var machine = throttling()
        #expect(machine.give("a", at: 0) == "a")
        #expect(machine.give("b", at: 1) == nil)
        machine.finished()
        #expect(!machine.isDone)
        #expect(machine.take() == "b")
        #expect(machine.isDone)
        #expect(machine.wake(at: 10) == nil)
    }

    @Test func `A debounce waits until it is quiet`() {
        var machine = quiet
        #expect(machine.give("a", at: 0) == nil)
        #expect(machine.deadline == at(10))
        #expect(machine.give("b", at: 9) == nil)
        #expect(machine.deadline == at(19))
        #expect(machine.wake(at: 10) == nil)
        #expect(machine.wake(at: 19) == "b")
        #expect(machine.deadline == nil)
        #expect(machine.give("c", at: 30) == nil)
        machine.finished()
        #expect(machine.take() == "c")
        #expect(machine.isDone)
    }

    @Test func `A debounce that is woken late lets the old value out before it holds the new one`() {
        var machine = quiet
        #expect(machine.give("a", at: 0) == nil)
        #expect(machine.give("b", at: 15) == "a")
        #expect(machine.wake(at: 25) == "b")
    }

    @Test func `What was not fetched is replaced by what is newer`() {
        var machine = quiet
        machine.arrived("a", at: at(0))
        machine.woken(at: at(10))
        machine.arrived("b", at: at(11))
        machine.woken(at: at(21))
        #expect(machine.take() == "b")
        #expect(machine.take() == nil)
    }

    @Test func `A merge gives values in the order in which they came, and keeps sources waiting`() {
        var machine = Merging<String>(sources: 2)
        machine.arrived("b", from: 1)
        machine.arrived("a", from: 0)
        #expect(!machine.mayGoOn(0))
        #expect(!machine.mayGoOn(1))
        #expect(machine.take() == "b")
        #expect(machine.mayGoOn(1))
        #expect(!machine.mayGoOn(0))
        machine.finished()
        machine.finished()
        #expect(!machine.isDone)
        #expect(machine.take() == "a")
        #expect(machine.isDone)
    }

    @Test func `Combining begins when both have a value, and loses none after that`() {
        var machine = CombiningLatest<String, Int>()
        machine.arrived(.first("a"))
        #expect(machine.take() == nil)
        #expect(machine.mayGoOn(0))
        machine.arrived(.first("b"))
        machine.arrived(.second(1))
        #expect(!machine.mayGoOn(0))
        #expect(machine.take().map { "\($0)" } == #"("b", 1)"#)
        machine.arrived(.second(2))
        machine.finished(1)
        machine.arrived(.first("c"))
        #expect(machine.take().map { "\($0)" } == #"("b", 2)"#)
        #expect(machine.take().map { "\($0)" } == #"("c", 2)"#)
        #expect(!machine.isDone)
        machine.finished(0)
        #expect(machine.isDone)
    }

    @Test func `Combining is done as soon as one source ends without a value`() {
        var machine = CombiningLatest<String, Int>()
        machine.arrived(.first("a"))
        #expect(machine.take() == nil)
        machine.finished(1)
        #expect(machine.isDone)
    }
}
