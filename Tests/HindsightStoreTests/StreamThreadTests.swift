import HindsightStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct StreamThreadTests {
    private let threads = 8
    private let rounds = 100
    private let begun = Notes<Int>()

    /// Reads a stream to its end. Each number must be greater than the one before.
    private func read(_ values: some AsyncSequence<Int, Never> & Sendable) -> Task<Int, Never> {
        Task { [begun] in
            var last = Int.min
            for await value in values {
                if last == Int.min { begun.add(value) }
                #expect(value > last, "received the same value twice, or an older one")
                last = value
                await Task.yield()
            }
            return last
        }
    }

    @Test func `Streams that many tasks read and abandon end with their store, the newest value last`() async {
        var store: Store<Counter, CounterAction>? = Store(initial: Counter(), reducer: counter)
        weak let gone = store
        var readers: [Task<Int, Never>] = []
        var leavers: [Task<Int, Never>] = []
        if let store {
            for number in 0..<12 {
                let values = store.observe(\.count).values
                let reader =
                    switch number % 4 {
                    case 0: read(values)
                    case 1: read(values.buffering(.unbounded))
                    case 2: read(values.buffering(.newest(2)))
                    default: read(store.observe(\.count).map { $0 * 2 }.values)
                    }
                if number < 6 { readers.append(reader) } else { leavers.append(reader) }
            }
        }
        // A task that begins after the store's release gets nothing.
        while begun.all.count < readers.count + leavers.count { await Task.yield() }
        let shared = Guarded(store)
        store = nil
        await withCheckedContinuation { continuation in
            Task.detached { [threads, rounds] in
                onThreads(threads) { thread in
                    for round in 0..<rounds {
                        guard let store = shared.withLock({ $0 }) else { return }
                        let token = store.subscribe(\.name) { _ in }
                        store.dispatch(.add(1))
                        if round.isMultiple(of: 7) { store.dispatch(.rename("\(thread).\(round)")) }
                        token.cancel()
                    }
                }
                continuation.resume()
            }
            for leaver in leavers { leaver.cancel() }
        }
        shared.withLock { $0 = nil }
        #expect(gone == nil)
        let total = threads * rounds
        for (number, reader) in readers.enumerated() {
            let last = await reader.value
            #expect(last == (number % 4 == 3 ? 2 * total : total))
        }
        for leaver in leavers { _ = await leaver.value }
    }

    @Test func `A store in use by others is released when the last of them is done`() async {
        for _ in 0..<50 {
            let effects = Middleware<Counter, CounterAction>.effects { action, _ in
                guard case .rename = action else { return .none }
                return .task { dispatch in
                    while !Task.isCancelled {
                        dispatch(.add(1))
                        await Task.yield()
                    }
                }
            }
            var store: Store? = Store(initial: Counter(), reducer: counter, middleware: [effects, .undo(of: \.self)])
            weak let gone = store
            let tokens = Guarded<[SubscriptionToken]>([])
            let shared = Guarded(store)
            store?.dispatch(.rename("start"))
            store = nil
            onThreads(4) { thread in
                guard let store = shared.withLock({ $0 }) else { return }
                let token = store.subscribe(\.count) { _ in }
                tokens.withLock { $0.append(token) }
                if thread == 3 { shared.withLock { $0 = nil } }
                store.dispatch(.add(1))
                store.undo()
            }
            shared.withLock { $0 = nil }
            // An effect may be in the middle of a dispatch.
            while gone != nil { await Task.yield() }
        }
    }
}
