import Foundation
import HindsightFormat
import HindsightRecording
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct IndexFileTests {
    /// A recording, and a cache folder of its own.
    private struct Place {
        let made: RandomRecording
        let recording: Recording
        let cache: URL

        init(seed: UInt64, actions: Int = 60, isWhole: Bool = false) throws {
            made = try RandomRecording(seed: seed, actions: actions, isWhole: isWhole)
            recording = try made.open()
            cache = made.directory.appendingPathComponent("cache")
        }

        func index() throws -> ChangeIndex { try ChangeIndex(of: recording, cache: cache, smallestKept: 0) }

        var files: [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: cache.path).sorted()) ?? []
        }

        /// The only index file.
        var file: URL { cache.appendingPathComponent(files.first ?? "none") }

        /// Expects an index to have the answers of a scan.
        func check(_ index: ChangeIndex, _ comment: Comment? = nil) throws {
            let plain = try ChangeIndex(of: recording, cache: nil)
            let (start, end) = (recording.start.seq, recording.end.seq)
            let written = try ChangeIndex.table(of: recording, plain.keys, after: start, upTo: end)
            for path in (0..<written.count).map(written.path).prefix(60) + ["", "/nowhere"] {
                let path = try #require(NodePath(path))
                #expect(index.keys(touching: path) == plain.keys(touching: path), comment)
            }
        }
    }

    @Test func `an index is kept in the cache folder and used again, and nothing is written beside the recording`()
        throws
    {
        for random in RandomRecording.seeds(4) {
            let place = try Place(seed: random.seed)
            let before = try FileManager.default.contentsOfDirectory(atPath: place.made.directory.path)
            let bytes = try Data(contentsOf: place.made.url)
            let index = try place.index()
            #expect(index.storageFailure == nil)
            #expect(place.files.count == 1, "\(random)")
            let after = try FileManager.default.contentsOfDirectory(atPath: place.made.directory.path)
            #expect(Set(after).subtracting(before) == ["cache"])
            #expect(try Data(contentsOf: place.made.url) == bytes)
            #expect(try Data(contentsOf: place.file).count * 2 <= bytes.count)
            let kept = try IndexFile(of: place.recording, index.keys, in: place.cache).read()
            #expect(kept?.end == place.recording.end.seq && kept?.start == place.recording.start.seq, "\(random)")
            try place.check(try place.index(), "\(random)")
        }
    }

    @Test func `a damaged index is not used`() throws {
        let place = try Place(seed: 11)
        let index = try place.index()
        let good = try Data(contentsOf: place.file)
        let file = IndexFile(of: place.recording, index.keys, in: place.cache)
        for random in RandomRecording.seeds(60) {
            var random = random
            var bad = good
            switch random.below(4) {
            case 0: bad = bad.prefix(random.below(bad.count))
            case 1: bad.append(UInt8(random.below(256)))
            default: bad[random.below(bad.count)] ^= UInt8(1 << random.below(8))
            }
            try bad.write(to: place.file)
            #expect(try file.read() == nil, "\(random)")
        }
        try place.check(try place.index())
        // It was built again.
        #expect(try Data(contentsOf: place.file) == good)
    }

    @Test func `an index of another recording, or of the recording before it was changed, is not used`() throws {
        let place = try Place(seed: 12, isWhole: true)
        let other = try Place(seed: 13, isWhole: true)
        _ = try other.index()
        let index = try place.index()
        let file = IndexFile(of: place.recording, index.keys, in: place.cache)
        #expect(try file.read() != nil)
        try Data(contentsOf: other.file).write(to: place.file)
        #expect(try file.read() == nil)
        _ = try place.index()
        #expect(try file.read() != nil)
        // A complete recording does not change, so a later modification means that somebody else wrote into it.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
            ofItemAtPath: place.made.url.path
        )
        #expect(try file.read() == nil)
    }

    @Test func `an index of a recording that nobody writes is not used after it was changed`() throws {
        for seed: UInt64 in 17...19 {
            let place = try Place(seed: seed)
            try #require(place.recording.ending == .open(live: false), "seed \(seed)")
            _ = try place.index()
            let keys = StepKeys(reducerCount: place.recording.reducers.count)
            let file = IndexFile(of: place.recording, keys, in: place.cache)
            #expect(try file.read() != nil, "seed \(seed)")
            let past = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)]
            try FileManager.default.setAttributes(past, ofItemAtPath: place.made.url.path)
            #expect(try file.read() == nil, "seed \(seed)")
        }
    }

    @Test func `an index of a text that was edited is not used, even if the text has no end`() throws {
        let place = try Place(seed: 12, actions: 200, isWhole: true)
        var text = ""
        try place.recording.writeText { text += $0 }
        let fact = #""closed":1700000100000000000"#
        #expect(text.contains(fact))
        for closed in [fact + ",", "," + fact, fact] { text = text.replacingOccurrences(of: closed, with: "") }
        let url = place.made.directory.appendingPathComponent("text.jsonl")
        try Data(text.utf8).write(to: url)
        let recording = try Recording(at: url)
        #expect(recording.isText && recording.ending != .closed)
        let index = try ChangeIndex(of: recording, cache: place.cache, smallestKept: 0)
        let file = IndexFile(of: recording, index.keys, in: place.cache)
        #expect(try file.read() != nil)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
            ofItemAtPath: url.path
        )
        #expect(try file.read() == nil)
    }

    @Test func `an index is extended when the recording grew`() throws {
        for random in RandomRecording.seeds(5) {
            var random = random
            let place = try Place(seed: random.seed)
            let (start, end) = (place.recording.start.seq, place.recording.end.seq)
            let keys = StepKeys(reducerCount: place.recording.reducers.count)
            let middle = start + 1 + random.below(end - start)
            let first = try ChangeIndex.table(of: place.recording, keys, after: start, upTo: middle)
            let file = IndexFile(of: place.recording, keys, in: place.cache)
            guard try file.write(first, from: start, to: middle) else { continue }
            try place.check(try place.index(), "\(random), at \(middle)")
            // As one table, too.
            let rest = try ChangeIndex.table(of: place.recording, keys, after: middle, upTo: end)
            let whole = try ChangeIndex.table(of: place.recording, keys, after: start, upTo: end)
            var (left, right) = ([UInt8](), [UInt8]())
            first.appending(rest).write(to: &left)
            whole.write(to: &right)
            #expect(left == right, "\(random), at \(middle)")
        }
    }

    @Test func `an index that was kept before the limit dropped its first actions has only the others`() throws {
        var count = 0
        for seed: UInt64 in 1...100 where count < 4 {
            let place = try Place(seed: seed)
            let (start, end) = (place.recording.start.seq, place.recording.end.seq)
            if start == 0 { continue }
            let keys = StepKeys(reducerCount: place.recording.reducers.count)
            let rest = try ChangeIndex.table(of: place.recording, keys, after: start, upTo: end)
            var dropped = PostingCollector()
            for path in (0..<rest.count).map(rest.path) {
                Array(path.utf8).withUnsafeBufferPointer {
                    dropped.add(keys.key(start, entry: 0, isTimed: true), to: $0)
                }
            }
            let file = IndexFile(of: place.recording, keys, in: place.cache)
            guard try file.write(dropped.finish().appending(rest), from: start - 1, to: end) else { continue }
            try place.check(try place.index(), "seed \(seed)")
            count += 1
        }
        #expect(count == 4)
    }

    @Test func `a table comes back from its bytes, and other bytes are refused`() throws {
        let place = try Place(seed: 14)
        let keys = StepKeys(reducerCount: place.recording.reducers.count)
        let table = try ChangeIndex.table(of: place.recording, keys, after: 0, upTo: place.recording.end.seq)
        var bytes: [UInt8] = []
        table.write(to: &bytes)
        let read = try #require(PostingTable(reading: bytes[...]))
        #expect(read.paths == table.paths && read.pathEnds == table.pathEnds)
        #expect(read.lists == table.lists && read.listEnds == table.listEnds)
        for count in 0..<min(bytes.count, 2000) { #expect(PostingTable(reading: bytes[..<count]) == nil) }
        #expect(PostingTable(reading: (bytes + [0])[...]) == nil)
        #expect(PostingTable(reading: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0]) == nil)
    }

    @Test func `several processes may build the index at once`() throws {
        let place = try Place(seed: 15)
        let (url, cache) = (place.made.url, place.cache)
        let failures = Guarded([String]())
        onThreads(4) { _ in
            for _ in 0..<10 {
                do {
                    let index = try ChangeIndex(of: try Recording(at: url), cache: cache, smallestKept: 0)
                    if let failure = index.storageFailure { throw failure }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(place.files.count == 1 && place.files[0].hasSuffix(".index"))
        try place.check(try place.index())
    }

    @Test func `a cache folder that cannot be written is no obstacle`() throws {
        let place = try Place(seed: 16)
        // A file stands where the folder should be.
        try Data("x".utf8).write(to: place.cache)
        let index = try place.index()
        #expect(index.storageFailure != nil)
        try place.check(index)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a named pipe in place of the index stops neither the index nor blame`() throws {
        let place = try Place(seed: 19)
        let path = try IndexFile(of: place.recording, place.index().keys, in: place.cache).path
        try FileManager.default.createDirectory(at: place.cache, withIntermediateDirectories: true)
        unlink(path)
        #expect(mkfifo(path, 0o600) == 0)
        let index = try place.index()
        try place.check(index)
        #expect(try place.recording.blame(by: index) != nil)
        // A pipe is no obstacle to the next index, either.
        #expect(index.storageFailure == nil)
        try place.check(try place.index())
    }

    @Test func `the index of a small recording is not kept`() throws {
        let place = try Place(seed: 17)
        _ = try ChangeIndex(of: place.recording, cache: place.cache)
        #expect(place.files == [])
    }

    @Test func `drafts of killed processes are removed later`() throws {
        let place = try Place(seed: 18)
        try FileManager.default.createDirectory(at: place.cache, withIntermediateDirectories: true)
        let (old, new) = (place.cache.appendingPathComponent(".a.part"), place.cache.appendingPathComponent(".b.part"))
        for url in [old, new] { try Data([1]).write(to: url) }
        try FileManager.default.setAttributes([.modificationDate: Date() - 7200], ofItemAtPath: old.path)
        _ = try place.index()
        #expect(place.files.contains(".b.part") && !place.files.contains(".a.part"))
    }
}
