import HindsightStore
import TestSupport
import Testing

private struct Failure: Error, Equatable {}

@Suite(.timeLimit(.minutes(1))) struct AsyncOperatorTests {
    let clock = ManualClock()
    let source = ManualSequence<Int>()

    /// Runs a sequence to its end in a task of its own.
    private func collect<Base: AsyncSequence & Sendable>(_ sequence: Base) -> Task<[Base.Element], any Error>
    where Base.Element: Sendable {
        Task {
            var values: [Base.Element] = []
            for try await value in sequence { values.append(value) }
            return values
        }
    }

    @Test func `A throttle gives the first value, and the last of each interval`() async throws {
        let values = collect(source.throttle(for: .seconds(10), clock: clock).map { [clock] in [$0, clock.seconds] })
        await source.send(1)
        await source.send(2)
        await source.send(3)
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        await source.send(4)
        await clock.sleeper(until: .seconds(20))
        clock.advance(by: .seconds(30))
        await source.send(5)
        source.finish()
        let last = try await values.value.map { $0[0] }
        #expect(last.first == 1)
        #expect(last.last == 5)
        #expect(last == last.sorted())
        #expect(!last.contains(2))
    }

    @Test func `A throttle's consumer gets what is held as time passes, without a newer value`() async throws {
        var values = source.throttle(for: .seconds(10), clock: clock).makeAsyncIterator()
        source.give(1)
        #expect(try await values.next(isolation: nil) == 1)
        await source.send(2)
        await source.send(3)
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(try await values.next(isolation: nil) == 3)
        await source.send(4)
        source.finish()
        #expect(try await values.next(isolation: nil) == 4)
        #expect(try await values.next(isolation: nil) == nil)
        #expect(try await values.next(isolation: nil) == nil)
    }

    @Test func `A debounce gives a value when it has been quiet`() async throws {
        let values = collect(source.debounce(for: .seconds(10), clock: clock))
        await source.send(1)
        await clock.sleeper(until: .seconds(10))
        clock.advance(by: .seconds(5))
        await source.send(2)
        clock.advance(by: .seconds(5))
        await clock.sleeper(until: .seconds(15))
        clock.advance(by: .seconds(5))
        await source.send(3)
        await clock.sleeper(until: .seconds(25))
        source.finish()
        #expect(try await values.value.last == 3)
    }

    @Test func `A merge gives all values of all sequences`() async throws {
        let other = ManualSequence<Int>()
        let third = ManualSequence<Int>()
        let values = collect(source.merge(with: other, third))
        for number in 0..<30 {
            await [source, other, third][number % 3].send(number)
        }
        for sequence in [source, other, third] { sequence.finish() }
        #expect(try await values.value == Array(0..<30))
    }

    @Test func `A merge keeps its sequences waiting while its consumer is busy`() async throws {
        var values = source.merge(with: ManualSequence<Int>()).makeAsyncIterator()
        for number in 0..<5 { source.give(number) }
        source.finish()
        #expect(try await values.next(isolation: nil) == 0)
        #expect(try await values.next(isolation: nil) == 1)
        #expect(try await values.next(isolation: nil) == 2)
    }

    @Test func `Combining pairs each value with the other's latest`() async throws {
        let other = ManualSequence<String>()
        let values = collect(source.combineLatest(other).map { "\($0)\($1)" })
        await source.send(1)
        await source.send(2)
        await other.send("a")
        await other.send("b")
        await source.send(3)
        source.finish()
        await other.send("c")
        other.finish()
        #expect(try await values.value == ["2a", "2b", "3b", "3c"])
    }

    @Test func `A failure comes after the values before it, and ends the others`() async throws {
        let other = ManualSequence<Int>()
        var values = source.merge(with: other).makeAsyncIterator()
        source.give(1)
        source.fail(Failure())
        #expect(try await values.next(isolation: nil) == 1)
        await #expect(throws: Failure()) { try await values.next(isolation: nil) }
        #expect(try await values.next(isolation: nil) == nil)
        await other.waitUntilCancelled()
    }

    @Test func `A cancelled consumer ends its sequences and timers`() async throws {
        let other = ManualSequence<Int>()
        let values = collect(
            source.throttle(for: .seconds(10), clock: clock)
                .merge(with: other.debounce(for: .seconds(10), clock: clock))
        )
        await source.send(1)
        await source.send(2)
        await other.send(3)
        values.cancel()
        #expect(try await values.value.contains(3) == false)
        await source.waitUntilCancelled()
        await other.waitUntilCancelled()
        #expect(clock.sleepers == 0)
    }

    @Test func `A dropped iterator ends its sequences`() async throws {
        do {
            var values = source.merge(with: ManualSequence<Int>()).makeAsyncIterator()
            source.give(1)
            #expect(try await values.next(isolation: nil) == 1)
        }
        await source.waitUntilCancelled()
    }

    @Test func `A consumer that is cancelled before it begins gets nothing`() async throws {
        let values = Task { [source] in
            withUnsafeCurrentTask { $0?.cancel() }
            var values = source.merge(with: ManualSequence<Int>()).makeAsyncIterator()
            return try await values.next(isolation: nil)
        }
        source.give(1)
        #expect(try await values.value == nil)
    }

    @Test func `Values that equal the one before are left out, by a rule of one's own too`() async throws {
        let numbers = AsyncStream { continuation in
            for number in [1, 1, 2, 2, 12, 3, 3, 1] { continuation.yield(number) }
            continuation.finish()
        }
        var all: [Int] = []
        for await number in numbers.removeDuplicates() { all.append(number) }
        #expect(all == [1, 2, 12, 3, 1])

        let again = AsyncStream { continuation in
            for number in [1, 11, 2, 12, 3] { continuation.yield(number) }
            continuation.finish()
        }
        var lastDigits: [Int] = []
        for await number in again.removeDuplicates(by: { $0 % 10 == $1 % 10 }) { lastDigits.append(number) }
        #expect(lastDigits == [1, 2, 3])
    }

    @Test func `Asking one iterator for two values at a time is a programmer's error`() async {
        await #expect(processExitsWith: .failure) {
            let values = Shared(ManualSequence<Int>().merge(with: ManualSequence<Int>()).makeAsyncIterator())
            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { await values.ask() }
                }
            }
        }
    }
}

/// Lends one iterator to several tasks, which is wrong.
private final class Shared<Iterator: AsyncIteratorProtocol>: @unchecked Sendable {
    let iterator: Iterator
    init(_ iterator: Iterator) { self.iterator = iterator }

    func ask() async {
        var iterator = iterator
        _ = try? await iterator.next(isolation: nil)
    }
}

extension ManualClock {
    fileprivate var seconds: Int { Int(now.offset.components.seconds) }
}
