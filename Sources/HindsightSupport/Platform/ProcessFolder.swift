#if !canImport(Darwin)
    /// The files of `/proc`, in which Linux describes processes.
    enum ProcessFolder {
        /// The contents of a file, up to 16 MB; `nil` if it cannot be read.
        static func contents(of path: String) -> [UInt8]? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { _ = close(descriptor) }
            var text: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 1 << 16)
            while text.count < 1 << 24 {
                let count = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                text += part.prefix(count)
            }
            return text
        }
    }
#endif
