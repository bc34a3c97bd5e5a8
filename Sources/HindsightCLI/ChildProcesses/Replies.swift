import Foundation
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Tells the parent of this process how a replay gets on, what it found, and at last the exit code.
///
/// A reply is a line of JSON in a pipe, which keeps what was written after the writer has died:
///
/// | line | says |
/// |---|---|
/// | `{"file":"a.hindsight"}` | the recording is about to be replayed |
/// | `{"fileEnd":0}` | its replay has ended, with this exit code |
/// | `{"answer":…}` | a part of what was asked for |
/// | `{"message":["…"]}` | the lines of a note or an error |
/// | `{"end":0}` | the verdict; an exit status counts as one only if the same code came before |
///
/// The points of a replay go through shared memory.
final class ReplyWriter: Sendable {
    private let descriptor: Int32
    private let shared: SharedPoint
    /// The process that may write. If a reducer forks, another process has the same pipe.
    private let owner = getpid()
    private let generation = Fork.generation

    init(descriptor: Int32, shared: SharedPoint) {
        self.descriptor = descriptor
        self.shared = shared
    }

    /// Reports the recording that is about to be replayed.
    func beginFile(_ file: String) {
        shared.point = nil
        send("file", Node.string(file).json)
    }

    /// Reports the point that is about to be reached. Costs a system call an action.
    func report(_ point: ReplayPoint) {
        if Fork.generation != generation { endFork() }
        // Finds code of the app that closed the pipe, before the next action becomes the last point. To ask after each
        // reducer would find the reducer too, and cost a fifth of the time of a replay. A pipe has no offset: lseek
        // always fails, and costs half of what fcntl does.
        if point.phase == .decoding, lseek(descriptor, 0, SEEK_CUR) < 0, errno == EBADF { endCutOff() }
        shared.point = point
    }

    /// Makes a signal that ends this process tell the parent where it was.
    func markCrashes() { shared.markCrashes() }

    /// Reports the end of a file's replay, and its exit code if it is one of several files.
    func endFile(_ code: ExitCode = .fine) { send("fileEnd", "\(code.rawValue)") }

    /// Reports a part of the answer to the parent's request.
    func answer(_ value: some Encodable) throws {
        send("answer", String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }

    func answer(_ node: Node) { send("answer", node.json) }

    /// Reports a note or an error, line by line.
    func message(_ lines: [String]) { send("message", Node.array(lines.map(Node.string)).json) }

    /// Reports the verdict.
    func end(_ code: ExitCode) { send("end", "\(code.rawValue)") }

    private func send(_ kind: String, _ json: String) {
        if getpid() != owner { endFork() }
        do {
            try FileSystem.writeAll(Array("{\"\(kind)\":\(json)}\n".utf8)[...], to: descriptor)
        } catch {
            // The verdict would not arrive.
            endCutOff()
        }
    }

    /// Ends a forked copy of the process, which would continue the replay and print everything twice.
    private func endFork() -> Never { _exit(ExitCode.crash.rawValue) }

    /// Ends this process, whose pipe was closed during the last action. Which code of the app closed it is not known.
    private func endCutOff() -> Never {
        if let seq = shared.point?.seq { shared.point = ReplayPoint(seq: seq, reducer: 0, phase: .reducing) }
        _exit(Isolation.cutOff)
    }
}

/// The progress and the answers of a child process, read from the pipe of its ``ReplyWriter``.
struct Replies {
    /// The recording that is being replayed; `nil` between two, before the first and after the last.
    private(set) var file: String?
    /// The point that the replay reached last; `nil` before the first action.
    private(set) var point: ReplayPoint?
    private(set) var verdict: ExitCode?
    /// The highest exit code of the files that have ended.
    private(set) var worst = ExitCode.fine
    /// The answers, as JSON; see ``takeAnswers()``.
    private var answers: [ArraySlice<UInt8>] = []
    /// The lines of notes and errors; see ``takeMessages()``.
    private var messages: [String] = []
    private var lines = LineBuffer()
    /// The file to which ``point`` belongs.
    private var reachedFile: String?

    /// Returns and forgets the answers since the last call, as JSON, in order.
    mutating func takeAnswers() -> [ArraySlice<UInt8>] {
        defer { answers = [] }
        return answers
    }

    /// Returns and forgets the lines of notes and errors since the last call.
    mutating func takeMessages() -> [String] {
        defer { messages = [] }
        return messages
    }

    /// Notes the point that the replay has reached; `nil` before the first action of a file.
    ///
    /// - Returns: Whether another action or another file has begun since the last call.
    mutating func reach(_ reached: ReplayPoint?) -> Bool {
        let before = (reachedFile, point?.seq)
        point = file == nil ? nil : reached
        reachedFile = file
        return before != (file, point?.seq)
    }

    /// Reads bytes from the pipe.
    mutating func take(_ bytes: some Collection<UInt8>) {
        lines.append(bytes)
        while let line = lines.next() { takeLine(line) }
    }

    /// `{"kind":value}`
    private mutating func takeLine(_ line: ArraySlice<UInt8>) {
        // Code of the app may write into the pipe, too.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex + 2, colon + 1 < line.endIndex
        else { return }
        let value = line[(colon + 1)..<(line.endIndex - 1)]
        var code: ExitCode? { Int32(String(decoding: value, as: UTF8.self)).map(ExitCode.init(rawValue:)) }
        switch String(decoding: line[(line.startIndex + 2)..<(colon - 1)], as: UTF8.self) {
        case "file": file = Self.texts(value).first
        case "fileEnd":
            file = nil
            worst = max(worst, code ?? .fine)
        case "answer": answers.append(value)
        case "message": messages += Self.texts(value)
        case "end": verdict = code
        default: break
        }
    }

    /// A text, or the texts of a list.
    private static func texts(_ json: ArraySlice<UInt8>) -> [String] {
        // No writer sends anything but JSON.
        guard let node = try? Node(jsonBytes: json) else { return [String(decoding: json, as: UTF8.self)] }
        return (node.arrayValue ?? [node]).compactMap(\.stringValue)
    }
}
