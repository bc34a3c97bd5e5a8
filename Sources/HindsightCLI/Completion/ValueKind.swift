/// The values that an argument takes, as its placeholder in the help says.
enum ValueKind: Equatable {
    case files
    case words([String])
    /// A JSON Pointer into the state.
    case path
    case position
    case actionType
    case reducer
    case app
    /// Anything else, such as a number.
    case other

    /// Reads the placeholder: `FILE`, `/PATH`, `P`, `TYPE`, `auto|always|never`.
    init(of declaration: Declaration) {
        var placeholder = declaration.name
        if case .option(let value, _) = declaration.kind { placeholder = value }
        if declaration.name == "app" {
            self = .app
            return
        }
        let choices = placeholder.split(separator: "|").map(String.init)
        if choices.contains(where: Self.isFile) {
            self = .files
        } else if choices.count > 1,
            choices.allSatisfy({ $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } })
        {
            self = .words(choices)
        } else {
            switch placeholder {
            case "PATH", "/PATH": self = .path
            case "P", "Q": self = .position
            case "TYPE", "T": self = .actionType
            case "REDUCER": self = .reducer
            default: self = .other
            }
        }
    }

    private static func isFile(_ placeholder: String) -> Bool {
        ["FILE", "FILE1", "FILE2", "DIR", "OUT"].contains { placeholder == $0 || placeholder.hasPrefix($0 + ".") }
    }
}
