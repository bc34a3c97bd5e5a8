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

    #if os(Linux)
        @Test func `A thread has the name that it was given, and none if that is empty`() throws {
            // Sound: the parameters and the result are those of the function.
            let setName = try unsafeBitCast(
                #require(dlsym(nil, "pthread_setname_np")),
                to: (@convention(c) (pthread_t, UnsafePointer<CChar>) -> CInt).self
            )
            let names = Locked<[String?]>([])
            onThreads(1) { _ in
                for name in ["worker", ""] {
                    guard setName(pthread_self(), name) == 0 else { return }
                    names.withLock { $0.append(CurrentThread.name) }
                }
            }
            #expect(names.withLock { $0 } == ["worker", nil])
        }
    #endif

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

    @Test func `A copy has the bytes and the permissions, and a file that is not there cannot be written`() throws {
        let scratch = Scratch()
        let (source, copy) = (scratch.file("source"), scratch.file("copy"))
        try Data("text".utf8).write(to: source)
        try Data("a longer text".utf8).write(to: copy)
        try #require(chmod(source.path, 0o640) == 0 && chmod(copy.path, 0o600) == 0)
        try FileSystem.copy(source.path, into: copy.path)
        #expect(try Data(contentsOf: copy) == Data("text".utf8))
        var status = stat()
        try #require(stat(copy.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
        #expect(FileSystem.isWritable(copy.path))
        #expect(!FileSystem.isWritable(scratch.file("none").path))
        try #require(chmod(copy.path, 0o400) == 0)
        #expect(!FileSystem.isWritable(copy.path))
    }

    #if os(Linux)
        @Test func `The address of a function has only bits of an address`() throws {
            let handle = try #require(dlopen(nil, RTLD_NOW))
            let address = try #require(dlsym(handle, "malloc"))
            #expect(UInt(bitPattern: address) & ~Registers.addressBits == 0)
            #expect(UInt(bitPattern: address) & Registers.addressBits != 0)
        }
    #endif

    @Test func `A file may have a size`() {
        #expect(ResourceLimit.fileSize > 0)
    }

    #if canImport(Glibc)
        // Processes of their own, because a limit is that of the whole process.
        @Test func `The longest file is the one that the system allows`() async {
            await #expect(processExitsWith: .success) {
                let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
                var limit = rlimit()
                precondition(getrlimit(resource, &limit) == 0)
                limit.rlim_cur = min(limit.rlim_max, 1 << 30)
                precondition(setrlimit(resource, &limit) == 0)
                precondition(ResourceLimit.fileSize == Int(limit.rlim_cur))
            }
        }

        @Test func `A process may have as many files open as it asks for, if the system allows that`() async {
            await #expect(processExitsWith: .success) {
                let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                var limit = rlimit()
                precondition(getrlimit(resource, &limit) == 0)
                limit.rlim_cur = 64
                precondition(setrlimit(resource, &limit) == 0)
                for (count, expected) in [(100, min(100, limit.rlim_max)), (80, min(100, limit.rlim_max))] {
                    ResourceLimit.allowOpenFiles(count)
                    precondition(getrlimit(resource, &limit) == 0 && limit.rlim_cur == expected)
                }
            }
        }
    #endif

    #if os(Linux)
        @Test func `The open descriptors of a process are listed, and listing them leaves none open`() throws {
            let pipe = Pipe()
            let folder = "/proc/\(getpid())/fd"
            for _ in 0..<64 {
                let descriptors = ForkedProcess.descriptors()
                #expect(descriptors.contains(pipe.fileHandleForReading.fileDescriptor))
                #expect(descriptors.contains(pipe.fileHandleForWriting.fileDescriptor))
            }
            let places = ForkedProcess.descriptors().map {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            let open = places.count { $0 == folder }
            // Other threads may be listing them.
            #expect(open < 64)
        }

        /// How a copy of this process ends that exits with what `code` returns.
        private func status(ofCopyWith code: () -> Int32) -> Int32 {
            let child = ForkedProcess.start()
            if child == 0 { _exit(code()) }
            var status: Int32 = -1
            while waitpid(child, &status, 0) == -1, errno == EINTR {}
            return status
        }

        @Test func `A copy of a process closes a descriptor once, and this process keeps it`() throws {
            let pipe = Pipe()
            let descriptor = pipe.fileHandleForWriting.fileDescriptor
            let slot = try #require(ForkedDescriptors.closing(descriptor))
            let isClosed = status { fcntl(descriptor, F_GETFD) == -1 ? 0 : 1 }
            #expect(isClosed == 0)
            // By then its number may belong to another file of the copy.
            let isReleased = status { ForkedDescriptors.release(slot) ? 1 : 0 }
            #expect(isReleased == 0)
            #expect(ForkedDescriptors.release(slot) && fcntl(descriptor, F_GETFD) != -1)
            let staysOpen = status { fcntl(descriptor, F_GETFD) == -1 ? 1 : 0 }
            #expect(staysOpen == 0)
            withExtendedLifetime(pipe) {}
        }

        @Test func `A process that waits is asleep`() throws {
            let process = SpawnedProcess()
            process.giveNull(as: 1, access: O_WRONLY)
            let child = process.start("sleep", isInPath: true, ["sleep", "600"], environment: [:])
            try #require(child.error == 0)
            var tries = 0
            while !ForkedProcess.isAsleep(child.id), tries < 6000 {
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
