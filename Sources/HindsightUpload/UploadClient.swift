import Foundation
import HindsightFormat
import HindsightSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends the files of a run to a receiver.
final class UploadClient: Sendable {
    enum Answer {
        case accepted(UploadOutcome, id: String)
        case refused(String)
    }

    /// An answer to a request.
    private struct Reply {
        var status: Int
        var body: Data
        var retryAfter: Int?

        struct Body: Decodable {
            var missing: [String]?
            var outcome: String?
            var recording: String?
            var error: String?
        }

        var parsed: Body { (try? JSONDecoder().decode(Body.self, from: body)) ?? Body() }
    }

    private let receiver: URL
    private let token: String
    private let options: UploadOptions
    private let session: URLSession

    /// How often a request is repeated that the receiver could not take now.
    private static let maxTries = 8
    /// The longest time to wait before that, in seconds.
    private static let maxWait = 30

    init(_ receiver: URL, _ token: String, _ options: UploadOptions) {
        (self.receiver, self.token, self.options) = (receiver, token, options)
        session = URLSession(configuration: options.session(), delegate: NoRedirects(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// - Returns: `nil` if the run is recorded, or its files changed meanwhile.
    /// - Throws: An ``UploadError``, or an error of the file system.
    func send(_ url: URL) async throws -> Answer? {
        for suffix in UploadManifest.suffixes where FileSystem.exists(url.path + suffix) {
            guard RunFile(url.path + suffix) != nil else {
                throw UploadError(.file, "\(url.lastPathComponent + suffix) is no file.")
            }
        }
        guard let lock = try UploadLock(on: url) else { return nil }
        defer { withExtendedLifetime(lock) {} }
        guard let (manifest, places) = try manifest(of: url) else { return nil }
        let text = try manifest.text()
        let path = "v1/uploads/\(UploadManifest.hash(of: text))"
        for _ in 0..<Self.maxTries {
            let reply = try await put(path, Data(text))
            switch reply.status {
            case 200:
                // Some networks answer every request.
                guard let outcome = reply.parsed.outcome.flatMap(UploadOutcome.init), let id = reply.parsed.recording
                else { throw error(reply) }
                return .accepted(outcome, id: id)
            case 202:
                guard let missing = reply.parsed.missing else { throw error(reply) }
                guard try await sendParts(missing, of: places, below: path) else { return nil }
            case 403, 422:
                // Not that of a proxy.
                guard reply.parsed.outcome == "refused", let reason = reply.parsed.error else { throw error(reply) }
                return .refused(reason)
            default: throw error(reply)
            }
        }
        throw UploadError(.unexpected, "The receiver keeps asking for parts that it has taken.")
    }

    /// Where the parts of a run are, by their hashes.
    private typealias Places = [String: (file: URL, offset: Int)]

    /// - Returns: `nil` if the recording has gone.
    private func manifest(of url: URL) throws -> (UploadManifest, Places)? {
        var places: Places = [:]
        let files = try UploadManifest.suffixes.compactMap { suffix -> UploadManifest.File? in
            let file = URL(filePath: url.path + suffix)
            guard FileSystem.exists(file.path) else { return nil }
            // A run without one of its files is another.
            let input = try FileHandle(forReadingFrom: file)
            defer { try? input.close() }
            var result = UploadManifest.File(suffix: suffix, bytes: 0, parts: [])
            while let part = try input.read(upToCount: UploadManifest.partBytes), !part.isEmpty {
                try Task.checkCancellation()
                let hash = UploadManifest.hash(of: Array(part))
                places[hash] = (file, result.bytes)
                result.parts.append(hash)
                result.bytes += part.count
            }
            guard result.bytes == FileSystem.size(of: file.path) else {
                throw UploadError(.file, "\(file.lastPathComponent) was not read to its end.")
            }
            // Only the lock, which holding it has made.
            return result.bytes > 0 || suffix.isEmpty ? result : nil
        }
        guard files.first?.suffix == "", !places.isEmpty else { return nil }
        return (UploadManifest(name: url.lastPathComponent, files: files), places)
    }

    private enum Sent {
        case done
        /// The receiver wants the manifest again.
        case again
        /// The files changed since the manifest was made.
        case changed
    }

    /// - Returns: `false` if the files changed since the manifest was made.
    private func sendParts(_ missing: [String], of places: Places, below path: String) async throws -> Bool {
        try await withThrowingTaskGroup(of: Sent.self) { group in
            var rest = missing.makeIterator()
            func addNext() -> Bool {
                guard let hash = rest.next() else { return false }
                group.addTask { try await self.sendPart(hash, of: places, below: path) }
                return true
            }
            for _ in 0..<max(1, options.parallelParts) where !addNext() { break }
            while let sent = try await group.next() {
                if sent != .done {
                    group.cancelAll()
                    return sent == .again
                }
                _ = addNext()
            }
            return true
        }
    }

    private func sendPart(_ hash: String, of places: Places, below path: String) async throws -> Sent {
        guard let place = places[hash], let part = try Self.part(place), UploadManifest.hash(of: part) == hash else {
            return .changed
        }
        // The system may have no zlib.
        let deflated = try? Deflater.deflate(part)
        let reply = try await put("\(path)/\(hash)", Data(deflated ?? part), isDeflated: deflated != nil)
        switch reply.status {
        case 204: return .done
        case 409: return .again
        default: throw error(reply)
        }
    }

    private static func part(_ place: (file: URL, offset: Int)) throws -> [UInt8]? {
        guard let input = FileHandle(forReadingAtPath: place.file.path) else { return nil }
        defer { try? input.close() }
        try input.seek(toOffset: UInt64(place.offset))
        return try input.read(upToCount: UploadManifest.partBytes).map(Array.init)
    }

    private func error(_ reply: Reply) -> UploadError {
        let code: UploadError.Code =
            switch reply.status {
            case 401: .unauthorized
            case 429, 502...504: .busy
            case 413: .tooLarge
            default: .unexpected
            }
        let reason = reply.parsed.error.map { " (\($0))" } ?? ""
        return UploadError(code, "The receiver answered with \(reply.status)\(reason).", retryAfter: reply.retryAfter)
    }

    /// Sends a request, and again if the receiver says that it may come again soon.
    private func put(_ path: String, _ body: Data, isDeflated: Bool = false) async throws -> Reply {
        var request = URLRequest(url: receiver.appendingPathComponent(path))
        request.httpMethod = "PUT"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        if isDeflated { request.setValue("deflate", forHTTPHeaderField: "Content-Encoding") }
        var attempt = 1
        while true {
            let (data, response): (Data, URLResponse)
            do {
                (data, response) = try await session.upload(for: request, from: body)
            } catch {
                throw UploadError(.unreachable, "The receiver cannot be reached: \(error.localizedDescription)")
            }
            guard let response = response as? HTTPURLResponse else {
                throw UploadError(.unexpected, "The receiver does not answer by HTTP.")
            }
            // A day at most, whatever a proxy says.
            let retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
                .map { min(max(0, $0), 86_400) }
            let reply = Reply(status: response.statusCode, body: data, retryAfter: retryAfter)
            guard [429, 503].contains(reply.status), let wait = retryAfter, wait <= Self.maxWait,
                attempt < Self.maxTries
            else { return reply }
            attempt += 1
            try await Task.sleep(for: .seconds(Double(wait) * Double.random(in: 1...1.5)))
        }
    }
}

/// Keeps recorders and deletions away from a run while it exists, and does not look like a recorder.
private final class UploadLock {
    private let journal: JournalFile

    /// - Returns: `nil` if the run is being recorded or deleted.
    init?(on url: URL) throws {
        guard let journal = try RunFile.lock(url.path, .shared) else { return nil }
        self.journal = journal
    }

    deinit { journal.removeIfEmpty() }
}

/// The token is for the receiver alone.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
