import Foundation
import HindsightSupport
import TestSupport
import Testing

@Suite struct FileSystemTests {
    let scratch = Scratch()

    private func file(_ name: String, _ bytes: [UInt8] = []) throws -> String {
        let url = scratch.file(name)
        try Data(bytes).write(to: url)
        return url.path
    }

    @Test func `An open file is the one at its path until another takes its place`() throws {
        let (path, other) = (try file("a"), try file("b"))
        let opened = try #require(FileHandle(forReadingAtPath: path))
        #expect(FileSystem.isFile(opened.fileDescriptor, at: path))
        #expect(!FileSystem.isFile(opened.fileDescriptor, at: other))
        #expect(!FileSystem.isFile(opened.fileDescriptor, at: path + "-missing"))
        #expect(!FileSystem.isFile(-1, at: path))
        let link = scratch.file("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(!FileSystem.isFile(opened.fileDescriptor, at: link))
        #expect(FileSystem.place(of: link) == FileSystem.place(of: path))
        #expect(rename(other, path) == 0)
        #expect(!FileSystem.isFile(opened.fileDescriptor, at: path))
    }

    @Test func `A broken link exists, and has no size`() throws {
        let link = scratch.file("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "missing")
        #expect(FileSystem.exists(link) && FileSystem.size(of: link) == 0 && !FileSystem.isDirectory(link))
        #expect(FileSystem.place(of: link) == link)
        #expect(!FileSystem.exists(link + "-missing"))
        let path = try file("three", [1, 2, 3])
        #expect(FileSystem.exists(path) && FileSystem.size(of: path) == 3 && !FileSystem.isDirectory(path))
        #expect(FileSystem.isDirectory((path as NSString).deletingLastPathComponent))
    }

    @Test func `A copy has the bytes and the permissions, and no rest of what was there`() throws {
        let bytes = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let (source, target) = (try file("source", bytes), try file("target", [UInt8](repeating: 1, count: 3_000_000)))
        #expect(chmod(source, 0o640) == 0 && chmod(target, 0o600) == 0)
        try FileSystem.copy(source, into: target)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data(bytes))
        let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        #expect(throws: SystemError.self) { try FileSystem.copy(source, into: target + "-missing") }
        #expect(throws: SystemError.self) { try FileSystem.copy(source + "-missing", into: target) }
        let link = scratch.file("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(throws: SystemError.self) { try FileSystem.copy(source, into: link) }
    }

    @Test func `Bytes are read from an offset on, up to the end`() throws {
        let opened = try #require(FileHandle(forReadingAtPath: try file("a", [1, 2, 3, 4, 5])))
        func bytes(_ offset: Int, _ count: Int) throws -> [UInt8] {
            try FileSystem.bytes(of: opened.fileDescriptor, at: offset, count: count)
        }
        #expect(try bytes(0, 5) == [1, 2, 3, 4, 5] && bytes(1, 2) == [2, 3] && bytes(3, 9) == [4, 5])
        #expect(try bytes(5, 1) == [] && bytes(2, 0) == [])
        #expect(throws: SystemError.self) { try FileSystem.bytes(of: -1, at: 0, count: 1) }
    }

    @Test func `The name is the last part of a path`() {
        #expect(FileSystem.name(of: "/a/b.txt") == "b.txt" && FileSystem.name(of: "b") == "b")
        #expect(FileSystem.name(of: "/a/b/") == "b" && FileSystem.name(of: "/") == "/")
    }

    // MARK: Locks

    @Test func `A lock has one holder, until it is released or forgotten`() throws {
        let path = try file("a")
        var lock: FileLock? = try FileLock(on: path)
        #expect(throws: SystemError.self) { try FileLock(on: path) }
        lock?.release()
        lock?.release()
        let second = try FileLock(on: path)
        #expect(throws: SystemError.self) { try FileLock(on: path) }
        second.release()
        lock = try FileLock(on: path)
        lock = nil
        try FileLock(on: path).release()
        #expect(lock == nil)
    }

    @Test func `A lock waits for its holder, and locks the file that has taken the place`() throws {
        let (path, other) = (try file("a"), try file("b"))
        let holder = try FileLock(on: path)
        let begun = ContinuousClock.now
        let error = #expect(throws: SystemError.self) {
            try FileLock(on: path, waitingUntil: .now + .milliseconds(60))
        }
        #expect(error?.number == EWOULDBLOCK && ContinuousClock.now - begun >= .milliseconds(60))
        let released = Thread {
            usleep(30_000)
            _ = rename(other, path)
            holder.release()
        }
        released.start()
        let next = try FileLock(on: path, waitingUntil: .now + .seconds(30))
        #expect(throws: SystemError.self) { try FileLock(on: path) }
        next.release()
    }

    @Test func `What is no file cannot be locked`() throws {
        let missing = scratch.file("missing").path
        let error = #expect(throws: SystemError.self) { try FileLock(on: missing) }
        #expect(error?.number == ENOENT)
        let link = scratch.file("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: try file("a"))
        #expect(throws: SystemError.self) { try FileLock(on: link) }
    }
}
