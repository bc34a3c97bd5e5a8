/// The names of what `init` creates.
struct Names: Equatable {
    /// The app's name in recordings, and the start of the tool's: `my-app`.
    let app: String
    /// The start of the names of modules: `MyApp`.
    let type: String

    /// - Parameter name: The name of the app or of its package.
    init(_ name: String) {
        let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let app = words.joined(separator: "-").lowercased()
        self.app = app.isEmpty ? "app" : app
        let type = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        self.type = type.first?.isLetter == true ? type : "App" + type
    }

    var tool: String { "\(app)-hindsight" }
    var tests: String { "\(type)RecordingTests" }
    /// The library of the sample app.
    var library: String { "\(type)Core" }
}
