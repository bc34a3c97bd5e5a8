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
            #expect(CrashImages.image(of: image[Layout.start])?[Layout.start] == image[Layout.start])
            #expect(CrashImages.image(of: image[Layout.end] - 1)?[Layout.start] == image[Layout.start])
            #expect((CrashImages.image(of: image[Layout.end]) != nil) == isInImage(image[Layout.end]))
        }
        #expect(Self.images.contains { !isInImage($0[Layout.end]) })
        #expect(CrashImages.image(of: 16) == nil)
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
}
