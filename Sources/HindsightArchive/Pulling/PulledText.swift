#if Archive
    import HindsightFormat
    import HindsightSupport

    /// The text of a recording on its way from an archive into a file.
    final class PulledText {
        /// The size of the text.
        private(set) var bytes = 0
        private let descriptor: Int32
        private let destination: String
        /// The lines of the head that come after an action, in order, each after the action's number and a space.
        private var pending: ArraySlice<UInt8> = []
        private var buffer: [UInt8] = []
        /// The number of the last action so far.
        private var last = 0

        private static let most = 1 << 20

        /// - Parameter destination: The file that the text is for, for errors.
        init(_ path: String, for destination: String) throws(RecordingError) {
            self.destination = destination
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw RecordingError(.unwritable, file: destination, cause: SystemError.last)
            }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Begins with the head of the recording.
        ///
        /// - Parameter seq: The number of the action before the first chunk.
        func begin(_ head: [UInt8], after seq: Int) throws {
            last = seq
            pending = head[...]
            try write(Self.popLine(of: &pending))
        }

        /// Adds the lines of a chunk.
        ///
        /// - Parameter first: The number of its first action.
        /// - Returns: The number of its last action.
        func add(_ text: [UInt8], from first: Int) throws -> Int {
            last = first - 1
            var rest = text[...]
            while !rest.isEmpty {
                let line = Self.popLine(of: &rest)
                if line.starts(with: TextCutter.action) {
                    try addPending()
                    last += 1
                }
                try write(line)
            }
            return last
        }

        /// Adds the rest, and closes the file.
        func finish() throws {
            try addPending()
            try write(TextForm.end.utf8)
            try write(CollectionOfOne(UInt8(ascii: "\n")))
            try flush()
        }

        /// Adds the lines of the head that stand after the last action.
        private func addPending() throws {
            while !pending.isEmpty {
                let number = pending.prefix { $0 != UInt8(ascii: " ") }
                guard Int(String(decoding: number, as: UTF8.self)) ?? 0 <= last else { return }
                try write(Self.popLine(of: &pending).dropFirst(number.count + 1))
            }
        }

        /// Removes the first line of a text, and returns it with its line feed.
        private static func popLine(of text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            let end = text.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.endIndex
            defer { text = text[end...] }
            return text[..<end]
        }

        private func write(_ part: some Collection<UInt8>) throws {
            buffer += part
            bytes += part.count
            if buffer.count >= Self.most { try flush() }
        }

        private func flush() throws {
            do {
                try FileSystem.writeAll(buffer[...], to: descriptor)
            } catch {
                throw RecordingError(.unwritable, file: destination, cause: error)
            }
            buffer.removeAll(keepingCapacity: true)
        }
    }
#endif
