import Foundation
import TestSupport
import Testing

@testable import HindsightSupport

/// What has other code on each platform, and the same results.
@Suite struct PlatformTests {
    @Test func `Threads that run at once have different identities and numbers`() {
        let (identity, number) = (CurrentThread.identity, CurrentThread.number.number)
        #expect(CurrentThread.identity == identity)
        #expect(CurrentThread.number.number == number)
        onThreads(1) { _ in
            #expect(CurrentThread.identity != identity)
            #expect(CurrentThread.number.number != number)
            #expect(!CurrentThread.number.isMain)
        }
    }

    @Test func `A thread's stack has the size that was asked for`() throws {
        let found = Locked<Int?>(nil)
        let done = DispatchSemaphore(value: 0)
        try BackgroundThread.start {
            let size = ThreadStack.bounds?.size
            found.withLock { $0 = size }
            done.signal()
        }
        done.wait()
        let size = try #require(found.withLock { $0 })
        #expect(abs(size - BackgroundThread.stackBytes) < 1 << 20)
    }

    @Test(arguments: [0, 30_000_000]) func `A timed wait ends after its time`(nanoseconds: Int) {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        defer {
            pthread_cond_destroy(condition)
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
            condition.deallocate()
        }
        pthread_mutex_init(mutex, nil)
        TimedCondition.initialize(condition)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let start = SystemClock.monotonic
        while TimedCondition.wait(for: condition, mutex, nanoseconds: nanoseconds) {
            // A wait may end without a reason.
        }
        #expect(SystemClock.monotonic - start >= Int64(nanoseconds))
    }

    @Test func `A program gets its arguments, its environment and its descriptors`() throws {
        let output = Pipe()
        let process = SpawnedProcess()
        process.giveNull(as: 0, access: O_RDONLY)
        process.give(output.fileHandleForWriting.fileDescriptor, as: 1)
        let child = process.start(
            "sh",
            isInPath: true,
            ["sh", "-c", "cat; echo $WORD $1", "sh", "second"],
            environment: ["WORD": "first", "PATH": "/usr/bin:/bin"]
        )
        try #require(child.error == 0)
        try output.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        var status: Int32 = 0
        while waitpid(child.id, &status, 0) == -1, errno == EINTR {}
        #expect(text == "first second\n")
        #expect(status == 0)
    }

    @Test func `A program that does not exist is not started`() {
        let child = SpawnedProcess().start("/nowhere/at/all", ["all"], environment: [:])
        #expect(child.error == ENOENT)
    }

    @Test func `The standard library is shared if it is among the loaded images`() {
        let names = LoadedImages.all.map { FileSystem.name(of: $0.path) }
        #expect(LoadedImages.hasSharedStandardLibrary == names.contains(where: { $0.hasPrefix("libswiftCore.") }))
    }

    @Test func `A file's times are those of its last change`() throws {
        let scratch = Scratch()
        let file = scratch.file("text")
        try Data("text".utf8).write(to: file)
        var status = stat()
        try #require(stat(file.path, &status) == 0)
        let now = SystemClock.wall / 1_000_000_000
        for time in [FileTimes.written(status), FileTimes.changed(status)] {
            #expect(abs(Int64(time.tv_sec) - now) < 60)
        }
    }

    @Test func `A file may have a size`() {
        #expect(ResourceLimit.fileSize > 0)
    }

    #if os(Linux)
        @Test func `The open descriptors of a process are listed`() throws {
            let pipe = Pipe()
            let descriptors = ForkedProcess.descriptors()
            #expect(descriptors.contains(pipe.fileHandleForReading.fileDescriptor))
            #expect(descriptors.contains(pipe.fileHandleForWriting.fileDescriptor))
        }

        @Test func `A process that waits is asleep`() throws {
            let process = SpawnedProcess()
            process.giveNull(as: 1, access: O_WRONLY)
            let child = process.start("sleep", isInPath: true, ["sleep", "60"], environment: [:])
            try #require(child.error == 0)
            var tries = 0
            while !ForkedProcess.isAsleep(child.id), tries < 1000 {
                usleep(10_000)
                tries += 1
            }
            #expect(ForkedProcess.isAsleep(child.id))
            kill(child.id, SIGKILL)
            var status: Int32 = 0
            while waitpid(child.id, &status, 0) == -1, errno == EINTR {}
        }
    #endif
}
