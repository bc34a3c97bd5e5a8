/// The page's HTML, divided at its markers.
struct PageTemplate: Sendable {
    /// The markers in their order.
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
        for marker in Marker.allCases {
            guard let range = rest.firstRange(of: marker.rawValue) else { continue }
            pieces += [.text(String(rest[..<range.lowerBound])), .marker(marker)]
            rest = rest[range.upperBound...]
        }
        self.pieces = pieces + [.text(String(rest))]
    }
}
