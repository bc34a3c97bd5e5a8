import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HindsightStore

@Suite struct RecursiveLockTests {
    @Test func `A thread may take the lock again, and holds it until it has released it as often`() {
        let lock = RecursiveLock()
        #expect(!lock.isMine)
        lock.lock()
        lock.lock()
        lock.unlock()
        #expect(lock.isMine)
        onThreads(1) { _ in #expect(!lock.isMine) }
        lock.unlock()
        #expect(!lock.isMine)
        onThreads(1) { _ in lock.withLock { #expect(lock.isMine) } }
    }

    @Test func `Competing threads never hold the lock at the same time`() {
        final class Shared: @unchecked Sendable {
            // Sound if the lock is, which the test checks.
            var count = 0
        }
        let lock = RecursiveLock()
        let shared = Shared()
        onThreads(8) { thread in
            for round in 0..<2_000 {
                lock.withLock {
                    let before = shared.count
                    if round.isMultiple(of: 3) { lock.withLock { #expect(shared.count == before) } }
                    if round.isMultiple(of: 100) { Thread.sleep(forTimeInterval: 0.000_01) }
                    shared.count = before + 1
                }
            }
        }
        #expect(shared.count == 16_000)
    }

    @Test(.timeLimit(.minutes(1))) func `A thread gets a lock that other threads take again and again`() {
        let lock = RecursiveLock()
        let isOver = Atomic(false)
        let taken = Atomic(0)
        onThreads(4) { thread in
            if thread > 0 {
                while !isOver.load(ordering: .relaxed) {
                    lock.withLock { _ = taken.add(1, ordering: .relaxed) }
                }
            } else {
                // Without holding it long, and then for longer than a waiting thread tries.
                for _ in 0..<1_000 { lock.withLock {} }
                for _ in 0..<20 { lock.withLock { Thread.sleep(forTimeInterval: 0.002) } }
                isOver.store(true, ordering: .relaxed)
            }
        }
        #expect(taken.load(ordering: .relaxed) > 0)
        #expect(!lock.isMine)
        #expect(lock.tryLock())
        lock.unlock()
    }

    @Test func `A thread that takes the lock again gives way to one that has waited for it`() {
        let lock = RecursiveLock()
        let rounds = 20
        let begun = Atomic(0)
        let tries = Atomic(0)
        let done = Atomic(0)
        var wins = 0
        lock.lock()
        let waiter = Thread {
            for round in 1...rounds {
                while begun.load(ordering: .acquiring) < round { usleep(100) }
                tries.store(round, ordering: .releasing)
                lock.withLock { done.store(round, ordering: .releasing) }
            }
        }
        waiter.start()
        for round in 1...rounds {
            begun.store(round, ordering: .releasing)
            while tries.load(ordering: .acquiring) < round { usleep(100) }
            usleep(5_000)
            lock.unlock()
            lock.lock()
            if done.load(ordering: .acquiring) == round { wins += 1 }
            lock.unlock()
            while done.load(ordering: .acquiring) < round { usleep(100) }
            lock.lock()
        }
        lock.unlock()
        // The waiting thread was first nearly always. Otherwise it rarely is, because waking it takes the system too long.
        #expect(wins > 12)
    }
}
