import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file, read and written with the system's own calls: what is there is given at once, nothing waits for more.
final class Descriptor {
    let number: Int32

    /// Opens a file for reading; a directory is refused here, and not only when it is read.
    init(reading path: String) throws(POSIXError) {
        number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw Self.lastError() }
        var status = stat()
        guard fstat(number, &status) == 0 else { throw Self.lastError() }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw POSIXError(.EISDIR) }
    }

    deinit {
        if number >= 0 { close(number) }
    }

    /// Sees to it that the three standard descriptors are taken. Where one was closed, the next file to be opened, maybe
    /// the recording itself, would get its number, and input would be read from it or output written into it.
    ///
    /// Reading from or writing to what was closed still fails.
    static func holdStandardOnes() {
        for (number, unusable) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)]
        where fcntl(number, F_GETFD) == -1 {
            // The lowest number that is free is the one that is given. Where this fails nothing is worse than before.
            _ = open("/dev/null", unusable)
        }
    }

    /// Whether this is the very file that stands at a path.
    static func isFile(_ number: Int32, at path: String) -> Bool {
        var opened = stat()
        var present = stat()
        return fstat(number, &opened) == 0 && stat(path, &present) == 0
            && opened.st_dev == present.st_dev && opened.st_ino == present.st_ino
    }

    static func lastError() -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }

    /// Reads what is there, waiting for at least one byte; 0 at the end.
    static func read(_ number: Int32, into bytes: UnsafeMutableRawBufferPointer) -> Result<Int, POSIXError> {
        transfer(number, for: POLLIN) {
            #if canImport(Darwin)
                Darwin.read(number, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
                Musl.read(number, bytes.baseAddress, bytes.count)
            #else
                Glibc.read(number, bytes.baseAddress, bytes.count)
            #endif
        }
    }

    /// Writes as much as there is room for, at least one byte.
    static func write(_ number: Int32, from bytes: UnsafeRawBufferPointer) -> Result<Int, POSIXError> {
        transfer(number, for: POLLOUT) {
            #if canImport(Darwin)
                Darwin.write(number, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
                Musl.write(number, bytes.baseAddress, bytes.count)
            #else
                Glibc.write(number, bytes.baseAddress, bytes.count)
            #endif
        }
    }

    /// Repeats a call that a signal interrupted, or that a non-blocking file was not ready for.
    private static func transfer(_ number: Int32, for event: some BinaryInteger, _ call: () -> Int) -> Result<
        Int, POSIXError
    > {
        while true {
            let count = call()
            if count >= 0 { return .success(count) }
            let error = lastError()
            switch error.code {
            case .EINTR:
                continue
            case .EAGAIN:
                var request = pollfd(fd: number, events: Int16(event), revents: 0)
                poll(&request, 1, -1)
            default:
                return .failure(error)
            }
        }
    }
}

extension POSIXError {
    /// What went wrong, in the system's words.
    var words: String { String(cString: strerror(code.rawValue)) }
}
