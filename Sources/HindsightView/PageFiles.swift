import CPage
import HindsightSupport
import HindsightTree

/// The files of the page, which the target CPage embeds.
enum PageFiles {
    static let template = PageTemplate(text(of: hindsight_page_html()))
    static let style = InlineFile(text(of: hindsight_page_style()))
    static let script = InlineFile(text(of: hindsight_page_script()))

    private static func text(of file: hindsight_page_file) -> String {
        String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
    }
}

/// The text of a script or a style that stands in the page.
struct InlineFile: Sendable {
    let text: String
    /// The expression of a Content-Security-Policy that allows this text and no other.
    let source: String

    init(_ text: String) {
        self.text = text
        var hash: [UInt8] = []
        Base64.encode(SHA256.digest(of: Array(text.utf8)), into: &hash)
        source = "'sha256-\(String(decoding: hash, as: UTF8.self))'"
    }
}
