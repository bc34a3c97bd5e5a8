/// A value of SQLite, as functions take and return it.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    /// Text with a mark, which only the functions of ``Connection/define(_:arguments:_:)`` see, and only if it is passed
    /// to them directly. SQLite's own functions use "J" for JSON.
    case marked(String, UInt8)

    /// The text, marked or not.
    package var text: String? {
        switch self {
        case .text(let text), .marked(let text, _): text
        case .null, .integer, .real, .blob: nil
        }
    }
}
