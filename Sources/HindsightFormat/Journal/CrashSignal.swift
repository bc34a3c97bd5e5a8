import HindsightTree

/// The signal that ended a process, as a recorder with the option `marksCrashes` recorded it.
///
/// If the app handles such signals and continues, this is the last one.
public struct CrashSignal: Sendable, Hashable {
    /// The signal's number on the app's system.
    public package(set) var number: Int
    /// The signal's name, such as `SIGSEGV`.
    public package(set) var name: String
    /// The address that the thread accessed, or the instruction, if the system raised the signal for it; `nil` if a
    /// process raised the signal, for example by `abort`.
    public package(set) var address: UInt64?
    /// The thread's number, as debuggers show it.
    public package(set) var thread: UInt64
    /// Whether the thread is the main thread.
    public package(set) var isMainThread: Bool
    /// Whether the thread was dispatching; `nil` if no dispatch was under way.
    public package(set) var isDispatching: Bool?
    /// Whether the address lies at the end of the thread's stack, which is most likely a stack overflow.
    public package(set) var isStackOverflow: Bool
    /// The thread's stack frames, innermost first, found by frame pointers. Functions without a frame pointer, as in C
    /// libraries, may be missing, and so may their callers.
    public package(set) var frames: [Frame]

    /// A place in a program.
    public struct Frame: Sendable, Hashable {
        /// The address in memory.
        public package(set) var address: UInt64
        /// The file name of the executable or library at that address; `nil` if unknown.
        public package(set) var image: String?
        /// The offset from the image's beginning, for a symboliser.
        public package(set) var offset: UInt64?
    }
}

extension CrashSignal {
    /// Reads what a handler wrote; `nil` if that is nothing or incomplete.
    package init?(record: [UInt64]) {
        typealias Layout = CrashRecord.Layout
        guard record.count == CrashRecord.words, record[Layout.state] == 1,
            let name = CrashRecord.name(ofSignal: record[Layout.kind])
        else { return nil }
        let frameCount = min(Int(clamping: record[Layout.frameCount]), CrashRecord.maxFrames)
        let imageCount = min(Int(clamping: record[Layout.imageCount]), CrashRecord.maxImages)
        let images = (0..<imageCount).map { index in
            Self.image(record[(Layout.images + index * CrashRecord.ImageLayout.words)...])
        }
        number = Int(record[Layout.signal] & 0xFFFF_FFFF)
        self.name = name
        // A positive code means that the kernel raised the signal.
        let hasAddress = Int32(truncatingIfNeeded: record[Layout.signal] >> 32) > 0
        let address = hasAddress ? record[Layout.address] : nil
        self.address = address
        thread = record[Layout.thread]
        isMainThread = record[Layout.isMain] == 1
        isDispatching = record[Layout.dispatching] == 0 ? nil : record[Layout.dispatching] == 1
        let stack = record[Layout.stackPointer]
        let (below, above) = (stack &- (1 << 16), stack &+ (1 << 20))
        isStackOverflow = address.map { stack != 0 && below < above && $0 >= below && $0 < above } ?? false
        frames = record[Layout.frames..<Layout.frames + frameCount].map { address in
            let image = images.first { $0.range.contains(address) }
            return Frame(address: address, image: image?.name, offset: image.map { address - $0.range.lowerBound })
        }
    }

    private static func image(_ words: ArraySlice<UInt64>) -> (range: Range<UInt64>, name: String) {
        typealias Layout = CrashRecord.ImageLayout
        let words = Array(words.prefix(Layout.words))
        let bytes = words[Layout.name...].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        let range = words[Layout.start]..<max(words[Layout.start], words[Layout.end])
        return (range, String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
    }
}

extension CrashSignal {
    /// The JSON that `Recovery` writes into the file, and that `--json` shows.
    package var node: Node {
        func hexadecimal(_ number: UInt64) -> Node { .string("0x" + String(number, radix: 16)) }
        return [
            "number": .int(number),
            "name": .string(name),
            "address": address.map(hexadecimal) ?? .null,
            "thread": .int(Int(clamping: thread)),
            "main": .bool(isMainThread),
            "dispatching": isDispatching.map(Node.bool) ?? .null,
            "stackOverflow": .bool(isStackOverflow),
            "frames": .array(
                frames.map { frame in
                    [
                        "address": hexadecimal(frame.address),
                        "image": frame.image.map(Node.string) ?? .null,
                        "offset": frame.offset.map(hexadecimal) ?? .null,
                    ]
                }
            ),
        ]
    }

    /// Reads what a recovery wrote; `nil` if that is damaged.
    package init?(json: String) {
        let node: Node
        do {
            node = try Node(json: json)
        } catch {
            return nil
        }
        func text(_ node: Node, _ key: String) -> String? {
            if case .string(let text)? = node[key] { text } else { nil }
        }
        func flag(_ key: String) -> Bool? { if case .bool(let flag)? = node[key] { flag } else { nil } }
        func address(_ node: Node, _ key: String) -> UInt64? {
            guard let text = text(node, key), text.hasPrefix("0x") else { return nil }
            return UInt64(text.dropFirst(2), radix: 16)
        }
        guard case .int(let number)? = node["number"], 0..<1000 ~= number, case .int(let thread)? = node["thread"],
            let name = text(node, "name"), case .array(let frames)? = node["frames"]
        else { return nil }
        self.number = number
        self.name = name
        self.address = address(node, "address")
        self.thread = UInt64(clamping: thread)
        isMainThread = flag("main") == true
        isDispatching = flag("dispatching")
        isStackOverflow = flag("stackOverflow") == true
        self.frames = frames.prefix(CrashRecord.maxFrames).compactMap { frame in
            address(frame, "address").map {
                Frame(address: $0, image: text(frame, "image"), offset: address(frame, "offset"))
            }
        }
    }
}
