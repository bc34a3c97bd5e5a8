import Dispatch
import Foundation
import HindsightSupport
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The writer's thread") struct WriterSignalTests {
    @Test func `The writer's thread blocks all signals except those of its own faults`() throws {
        let blocked = Guarded<[Int32: Bool]>([:])
        let done = DispatchSemaphore(value: 0)
        let signals = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGALRM, SIGPROF, SIGCHLD]
        let faults = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]
        try BackgroundThread.start {
            var set = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &set)
            blocked.withLock { blocked in
                for signal in signals + faults { blocked[signal] = sigismember(&set, signal) == 1 }
            }
            done.signal()
        }
        done.wait()
        for signal in signals { #expect(blocked.withLock { $0[signal] } == true, "signal \(signal)") }
        for signal in faults { #expect(blocked.withLock { $0[signal] } == false, "signal \(signal)") }
    }

    #if canImport(Glibc)
        @Test func `The writer's thread is detached`() throws {
            let result = Guarded<Int32>(-1)
            let (started, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            try BackgroundThread.start {
                started.wait()
                // Glibc returns this for a thread that is already detached.
                result.withLock { $0 = pthread_detach(pthread_self()) }
                done.signal()
            }
            started.signal()
            done.wait()
            #expect(result.withLock { $0 } == EINVAL)
        }
    #endif
}
