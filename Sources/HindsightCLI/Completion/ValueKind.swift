/// The values that an argument takes, as its placeholder in the help says.
enum ValueKind: Equatable {
    case words([String])
    /// A JSON Pointer into the state.
    case path
    case position
    case actionType
    case reducer
    /// Anything else, such as the name of a file.
    case other

    /// Reads the placeholder: `/PATH`, `P`, `TYPE`, `auto|always|never`.
    init(of declaration: Declaration) {
        var placeholder = declaration.name
        if case .option(let value) = declaration.kind { placeholder = value }
        let choices = placeholder.split(separator: "|").map(String.init)
        switch placeholder {
        case "PATH", "/PATH": self = .path
        case "P", "Q": self = .position
        case "TYPE", "T": self = .actionType
        case "REDUCER": self = .reducer
        case _ where choices.count > 1 && placeholder == placeholder.lowercased(): self = .words(choices)
        default: self = .other
        }
    }
}
