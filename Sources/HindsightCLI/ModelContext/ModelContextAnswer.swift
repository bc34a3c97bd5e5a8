import HindsightSupport
import HindsightTree

/// What a command has printed so far: its lines, with long values shortened.
struct ModelContextAnswer {
    /// How a command ended, for clients.
    enum Outcome: String {
        case ok, differs, crashed, unreadable, failed
        case crashNotRun = "crash not run"
        case nothingCompared = "nothing compared"
        case badRequest = "bad request"
        case needsApp = "needs the app"
        case timedOut = "timed out"
        case tooLong = "too long"

        init(_ code: ExitCode) {
            self =
                switch code {
                case .fine: .ok
                case .difference: .differs
                case .usage: .badRequest
                case .badFile: .unreadable
                case .doesNotFit: .needsApp
                case .crash: .crashed
                case .nothingCompared: .nothingCompared
                default: .failed
                }
        }

        /// Whether there is no answer, or only a part of it.
        var isError: Bool { ![.ok, .differs, .crashed, .crashNotRun, .nothingCompared].contains(self) }
    }

    /// The most bytes that are kept.
    static let most = 8 << 20

    /// The complete lines, each with its line feed.
    private(set) var bytes: [UInt8] = []
    /// Whether the command printed more than is kept.
    private(set) var isTooLong = false
    private let shortens: Bool
    private var lines = LineBuffer()

    init(shortening shortens: Bool) { self.shortens = shortens }

    mutating func append(_ piece: some Collection<UInt8>) {
        lines.append(piece)
        while !isTooLong, let line = lines.next() { add(Array(line)) }
        if lines.rest > Self.most { isTooLong = true }
        if isTooLong { lines = LineBuffer() }
    }

    private mutating func add(_ line: [UInt8]) {
        var line = line
        if shortens, line.count > ModelContextValue.most, let node = try? Node(jsonBytes: line) {
            line = Array(printable(ModelContextValue.shortened(in: node)).utf8)
        }
        guard bytes.count + line.count < Self.most else {
            isTooLong = true
            return
        }
        bytes += line + [UInt8(ascii: "\n")]
    }

    /// The line that begins at an offset; `nil` if it is not complete, or no JSON.
    func line(at offset: Int) -> Node? {
        let rest = bytes.dropFirst(offset)
        return rest.firstIndex(of: UInt8(ascii: "\n")).flatMap { try? Node(jsonBytes: rest[..<$0]) }
    }
}
