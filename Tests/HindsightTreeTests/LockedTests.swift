import Foundation
import Testing

@testable import HindsightTree

@Suite struct LockedTests {
    @Test func `threads take turns`() {
        let locked = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<10_000 { locked.withLock { $0 += 1 } }
        }
        #expect(locked.withLock { $0 } == 40_000)
    }

    @Test func `whoever has it and takes it again is told so, and does not wait for ever`() async {
        await #expect(processExitsWith: .failure) {
            let locked = Locked(0)
            locked.withLock { _ in locked.withLock { $0 += 1 } }
        }
    }
}
