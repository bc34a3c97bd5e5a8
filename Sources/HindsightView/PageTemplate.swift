/// The page's HTML, divided at its markers.
struct PageTemplate: Sendable {
    enum Marker: String, CaseIterable, Sendable {
        case policy = "{{CSP}}"
        case title = "{{title}}"
        case style = "<!--style-->"
        case about = "<!--about-->"
        case recording = "<!--recording-->"
        case script = "<!--script-->"
    }

    enum Piece: Sendable, Equatable {
        case text(String)
        case marker(Marker)
    }

    let pieces: [Piece]

    init(_ html: String) {
        var pieces: [Piece] = []
        var rest = html[...]
        while let next = Self.firstMarker(in: rest) {
            pieces += [.text(String(rest[..<next.range.lowerBound])), .marker(next.marker)]
            rest = rest[next.range.upperBound...]
        }
        self.pieces = pieces + [.text(String(rest))]
    }

    private static func firstMarker(in text: Substring) -> (marker: Marker, range: Range<String.Index>)? {
        let found = Marker.allCases.compactMap { marker in text.firstRange(of: marker.rawValue).map { (marker, $0) } }
        return found.min { $0.1.lowerBound < $1.1.lowerBound }
    }
}
