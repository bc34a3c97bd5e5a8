import Foundation
import HindsightSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// Serialized, since the tests share this process's table.
@Suite("The loaded images of a process", .serialized) struct CrashImagesTests {
    private typealias Layout = CrashRecord.ImageLayout

    /// The words of each image, collected until two passes agree.
    private static let images: [[UInt64]] = {
        CrashImages.collect()
        return (0..<256).map { index in (0..<Layout.words).map { CrashImages.table[index * Layout.words + $0] } }
            .filter { $0[Layout.end] != 0 }
    }()

    private func isInImage(_ address: UInt64) -> Bool {
        Self.images.contains { $0[Layout.start] <= address && address < $0[Layout.end] }
    }

    @Test("An image contains the addresses from its first byte to its last")
    func contains() {
        for image in Self.images {
            #expect(CrashImages.contains(image[Layout.start]))
            #expect(CrashImages.contains(image[Layout.end] - 1))
            #expect(CrashImages.contains(image[Layout.end]) == isInImage(image[Layout.end]))
        }
        #expect(Self.images.contains { !isInImage($0[Layout.end]) })
        #expect(!CrashImages.contains(16))
    }

    @Test("A record has each image with a frame once, and no other")
    func record() throws {
        #expect(Self.images.count > 1)
        let image = try #require(Self.images.last)
        let record = UnsafeMutablePointer<UInt64>.allocate(capacity: CrashRecord.words)
        defer { record.deallocate() }
        record.initialize(repeating: 0, count: CrashRecord.words)
        let frames = [16, image[Layout.start], image[Layout.start] + 8, 24]
        for (index, frame) in frames.enumerated() { record[CrashRecord.Layout.frames + index] = frame }
        record[CrashRecord.Layout.frameCount] = UInt64(frames.count)
        CrashImages.write(to: record)
        #expect(record[CrashRecord.Layout.imageCount] == 1)
        #expect((0..<Layout.words).map { record[CrashRecord.Layout.images + $0] } == image)
    }

    #if os(Linux)
        @Test("Each library has its own build ID")
        func buildIDs() {
            #expect(Self.images.contains { $0[Layout.idCount] > 0 && $0[Layout.id] != 0 })
        }

        @Test("No file stays open")
        func descriptors() {
            #expect(!Self.images.isEmpty)
            for descriptor in 0..<1024 {
                var path = [CChar](repeating: 0, count: 256)
                let count = readlink("/proc/self/fd/\(descriptor)", &path, path.count)
                let name = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
                #expect(!name.hasSuffix("/maps"), "\(name)")
            }
        }
    #endif

    #if arch(x86_64)
        @Test("The bytes before an address decide whether it follows a call, and nothing outside the code is read")
        func calls() throws {
            let before = (CrashImages.code[0], CrashImages.code[1])
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)
            let start = UInt(bitPattern: bytes.baseAddress)
            (CrashImages.code[0], CrashImages.code[1]) = (start, start + 64)
            defer {
                (CrashImages.code[0], CrashImages.code[1]) = before
                bytes.deallocate()
            }
            let rows: [(byte: UInt8, back: Int, isCall: Bool)] = [
                (0xE8, 5, true), (0xFF, 2, true), (0xFF, 3, true), (0xFF, 6, true),
                (0xE8, 4, false), (0xFF, 4, false), (0x90, 5, false),
            ]
            for row in rows {
                bytes.initialize(repeating: 0x90)
                bytes[32 - row.back] = row.byte
                #expect(CrashImages.isBehindCall(start + 32) == row.isCall, "\(row)")
            }
            bytes.initialize(repeating: 0xFF)
            for (address, isCall) in [(start + 8, false), (start + 9, true), (start + 63, true), (start + 64, false)] {
                #expect(CrashImages.isBehindCall(address) == isCall, "\(address - start)")
            }
        }
    #endif
}
