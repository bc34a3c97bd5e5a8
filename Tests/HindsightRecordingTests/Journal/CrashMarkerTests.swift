import Foundation
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite(
    "The crash marker",
    .enabled(if: !CrashSignalTests.isSanitized, "a sanitizer has handlers of its own")
)
struct CrashMarkerTests {
    /// The result of a trial; see `Tests/CrashingApp/HandlerTrial.swift`.
    private func mark(_ trial: String) throws -> (status: Int32?, signal: CrashSignal?, exited: Bool) {
        let scratch = Scratch()
        let child = try Child(recordingTo: scratch.file(), end: trial, marked: true)
        child.waitForEnd()
        let recording = try Recording(at: scratch.file())
        return (child.status, recording.crashSignal, recording.hasExited)
    }

    @Test("An app's own handlers are called as usual, and the last signal is marked")
    func chained() throws {
        let (status, signal, _) = try mark("the app's own handlers")
        #expect(status == -SIGABRT)
        #expect(signal?.name == "SIGABRT")
    }

    #if arch(x86_64)
        @Test("A fault ends the process even if its signal is ignored, and is marked")
        func ignored() throws {
            let (status, signal, _) = try mark("a fault whose signal is ignored")
            #expect(status == -SIGFPE)
            #expect(signal?.name == "SIGFPE" && signal?.address != nil)
        }
    #endif

    @Test("A stack overflow is marked on a thread that dispatches and on one that only created the recorder")
    func overflows() throws {
        let dispatcher = try mark("overflow of a thread that dispatches").signal
        #expect(dispatcher?.isStackOverflow == true && dispatcher?.isMainThread == false)
        #expect(dispatcher?.isDispatching == true)
        let own = try mark("overflow of a thread that records a store of another kind").signal
        #expect(own?.isStackOverflow == true && own?.isMainThread == false)
        #expect(own?.isDispatching == true)
        let maker = try mark("overflow of a thread that only made the recorder").signal
        #expect(maker?.isStackOverflow == true && maker?.isMainThread == true)
        #expect(maker != nil && maker?.isDispatching == nil)
    }

    @Test("A crash of another thread during an action of a store of another kind is marked as such")
    func beside() throws {
        let signal = try mark("another thread than the one that records a store of another kind").signal
        #expect(signal?.name == "SIGABRT" && signal?.isDispatching == false)
    }

    @Test(
        "Closed recorders free their slots, and their memory is not touched",
        arguments: ["after many recorders", "after a recorder that was closed"]
    )
    func closed(trial: String) throws {
        let (status, signal, _) = try mark(trial)
        #expect(status == -SIGABRT)
        #expect(signal?.name == "SIGABRT")
    }

    @Test("A forked process marks its crash in its own recordings, and leaves its parent's alone")
    func forked() throws {
        let scratch = Scratch()
        let child = try Child(recordingTo: scratch.file(), end: "forks that crash", marked: true)
        child.waitForEnd()
        #expect(child.status == 0)
        let own = try Recording(at: scratch.file())
        #expect(own.crashSignal?.name == "SIGABRT" && !own.hasExited)
        #expect((own.crashSignal?.frames.count ?? 0) > 1)
        let parents = try Recording(at: scratch.file("other.hindsight"))
        #expect(parents.crashSignal == nil && parents.hasExited)
    }

    @Test("A journal that loses its file is no crash, but another file that does is one")
    func cut() throws {
        let journal = try mark("a journal that is cut")
        #expect(journal.status == 0 && journal.exited)
        #expect(journal.signal == nil)
        let other = try mark("another file that is cut")
        #expect(other.status == -SIGBUS)
        #expect(other.signal?.name == "SIGBUS")
    }
}
