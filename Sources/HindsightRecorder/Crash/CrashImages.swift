import HindsightFormat
import HindsightSupport

/// The executable and the libraries that were loaded when the first journal asked for crash marks. Frames are described
/// by their place in one of them. Libraries that are loaded later are unknown.
enum CrashImages {
    private typealias Layout = CrashRecord.ImageLayout
    private static let most = 256
    nonisolated(unsafe) static let table = CrashMarker.zeros(of: UInt64.self, most * Layout.words) { 0 }

    /// The words of the image at an address; `nil` if the address is in none. Safe in a signal handler.
    static func image(of address: UInt64) -> UnsafeMutablePointer<UInt64>? {
        for index in 0..<most {
            let image = table + index * Layout.words
            if image[Layout.end] == 0 { return nil }
            if address >= image[Layout.start], address < image[Layout.end] { return image }
        }
        return nil
    }

    /// Copies the images of a record's frames into the record. Safe in a signal handler.
    static func write(to record: UnsafeMutablePointer<UInt64>) {
        let images = record + CrashRecord.Layout.images
        var count = 0
        for frame in 0..<Int(truncatingIfNeeded: record[CrashRecord.Layout.frameCount]) {
            guard count < CrashRecord.maxImages,
                let image = image(of: record[CrashRecord.Layout.frames + frame])
            else { continue }
            var known = 0
            while known < count, images[known * Layout.words] != image[Layout.start] { known += 1 }
            if known < count { continue }
            for word in 0..<Layout.words { images[count * Layout.words + word] = image[word] }
            count += 1
        }
        record[CrashRecord.Layout.imageCount] = UInt64(count)
    }

    /// Adds an image. Long names are truncated.
    private static func add(at index: Int, _ range: Range<UInt64>, path: String) {
        let image = table + index * Layout.words
        image[Layout.start] = range.lowerBound
        UnsafeMutableRawBufferPointer(start: image + Layout.name, count: Layout.nameBytes)
            .copyBytes(from: FileSystem.name(of: path).utf8.prefix(Layout.nameBytes))
        image[Layout.end] = range.upperBound
    }

    /// Fills the table. Images beyond its size are ignored.
    static func collect() {
        // Creates the table, even if there is no image.
        table[Layout.end] = 0
        // An empty entry ends the table.
        let images = LoadedImages.all.filter { !$0.range.isEmpty }.prefix(most)
        for (index, image) in images.enumerated() { add(at: index, image.range, path: image.path) }
    }
}
