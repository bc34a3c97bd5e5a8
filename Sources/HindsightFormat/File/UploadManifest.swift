import Foundation
import HindsightSupport

/// What a device says of a recording before it sends it to a receiver: its files, cut into parts that are named by
/// their hashes. Both sides name an upload by the hash of its manifest, so sending the same twice changes nothing.
package struct UploadManifest: Codable, Equatable, Sendable {
    package struct File: Codable, Equatable, Sendable {
        /// Empty for the recording itself, or the suffix of a file beside it.
        package var suffix: String
        package var bytes: Int
        /// The SHA-256 of each part, in hexadecimal digits, in order.
        package var parts: [String]

        package init(suffix: String, bytes: Int, parts: [String]) {
            (self.suffix, self.bytes, self.parts) = (suffix, bytes, parts)
        }
    }

    /// The name of the recording's file, for messages.
    package var name: String
    package var files: [File]

    /// The size of a part; the last part of a file may be smaller.
    package static let partBytes = 256 << 10
    /// The files of a recording whose process has ended. Nothing in the `-shm` is needed.
    package static let suffixes = [""] + SidecarFiles.suffixes.filter { $0 != "-shm" }

    package init(name: String, files: [File]) { (self.name, self.files) = (name, files) }

    /// The size of all files.
    package var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    /// The hashes of all parts, each once.
    package var parts: Set<String> { Set(files.flatMap(\.parts)) }

    /// The text that names the upload.
    package func text() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// - Returns: `nil` if the text is no manifest, or one that contradicts itself.
    package init?(text: [UInt8]) {
        guard let parsed = try? JSONDecoder().decode(Self.self, from: Data(text)) else { return nil }
        self = parsed
        var seen: Set<String> = []
        for file in files {
            guard Self.suffixes.contains(file.suffix), seen.insert(file.suffix).inserted else { return nil }
            // Checked one after the other, so that no sum is too large.
            guard file.bytes >= 0,
                file.parts.count == (file.bytes / Self.partBytes) + (file.bytes % Self.partBytes > 0 ? 1 : 0),
                file.parts.allSatisfy(Self.isHash)
            else { return nil }
        }
        guard seen.contains(""), name.utf8.count <= 255 else { return nil }
    }

    /// Whether a text is a SHA-256 in 64 lower-case hexadecimal digits.
    package static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The 32 bytes of a hash; `nil` if the text is none.
    package static func bytes(_ hash: String) -> [UInt8]? {
        guard isHash(hash) else { return nil }
        let digits = hash.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The SHA-256 of bytes in hexadecimal digits.
    package static func hash(of bytes: [UInt8]) -> String {
        hex(SHA256.digest(of: bytes))
    }
}
