/// One name on the path to the value that is being encoded or decoded.
enum PathStep {
    case key(String)
    case index(Int)
    /// A dictionary's key, which is data.
    case entry(String)

    var name: String {
        switch self {
        case .key(let key), .entry(let key): key
        case .index(let index): String(index)
        }
    }
}

extension PathStep: CodingKey {
    init?(stringValue: String) { self = .key(stringValue) }
    init?(intValue: Int) { self = .index(intValue) }
    var stringValue: String { name }
    var intValue: Int? { if case .index(let index) = self { index } else { nil } }
}
