import Foundation
import TestSupport
import Testing

@testable import HindsightSupport

@Suite struct LockedTests {
    @Test func `threads take turns`() {
        let locked = Locked(0)
        onThreads(8) { _ in
            for round in 0..<20_000 {
                locked.withLock { $0 += 1 }
                // Holding the lock a little longer makes others wait.
                if round.isMultiple(of: 500) { locked.withLock { _ in _ = usleep(100) } }
            }
        }
        #expect(locked.withLock { $0 } == 160_000)
    }

    @Test func `taking the lock again on the same thread traps instead of waiting forever`() async {
        await #expect(processExitsWith: .failure) {
            let locked = Locked(0)
            locked.withLock { _ in locked.withLock { $0 += 1 } }
        }
    }
}
