import Foundation

/// What the plugin knows of the package, and what the user asks for.
struct PackageFacts: Equatable {
    struct Library: Equatable {
        var name: String
        var directory: String
    }

    /// The directory with `Package.swift`.
    var directory = ""
    var package = ""
    /// The name that the package's manifest gives to Hindsight's package.
    var dependency = "hindsight"
    /// The path of the `swift` that runs the plugin.
    var swift = ""
    /// The names of all targets.
    var existing: [String] = []
    var libraries: [Library] = []
    /// `--app`: the start of the new names.
    var app: String?
    /// `--target`: the library that declares the app.
    var target: String?
    var isHelpRequested = false

    init() {}

    init(_ arguments: [String]) throws(InitFailure) {
        var words = arguments[...]
        func value(of word: String) throws(InitFailure) -> String {
            guard let value = words.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                throw InitFailure(.usage, "\(word) needs a value.", Self.advice)
            }
            return value
        }
        while let word = words.popFirst() {
            switch word {
            case "--directory": directory = try value(of: word)
            case "--package": package = try value(of: word)
            case "--dependency": dependency = try value(of: word)
            case "--swift": swift = try value(of: word)
            case "--existing": existing.append(try value(of: word))
            case "--library":
                libraries.append(Library(name: try value(of: word), directory: try value(of: word)))
            case "--app": app = try value(of: word)
            case "--target": target = try value(of: word)
            case "--help", "-h": isHelpRequested = true
            default:
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, ["--app", "--target"].contains(parts[0]) else {
                    throw InitFailure(.usage, "Unexpected argument \(word.debugDescription).", Self.advice)
                }
                if parts[0] == "--app" { app = parts[1] } else { target = parts[1] }
            }
        }
        if directory.isEmpty {
            throw InitFailure(
                .usage,
                "The package is not known.",
                "Run this program with: swift package hindsight init"
            )
        }
    }

    private static let advice = "See 'swift package hindsight init --help'."

    static let help = """
        Creates the package's own hindsight tool, and a test that replays recordings.

        Usage: swift package hindsight init [--app NAME] [--target TARGET]

        Creates an executable target that depends on HindsightCLI, a test target with a folder for recordings, and their
        entries in Package.swift. The tool runs the apps that a library target declares at its top level:
        public let myApp = ReplayableApp("myapp", …). If no library declares one, init also creates a library with a
        sample app, for you to replace. It overwrites no file.

        Options:
          --app NAME       Begin the new names with NAME instead of the package's name.
          --target TARGET  Use the apps of this library target.
        """
}

/// Why `init` created nothing.
struct InitFailure: Error, Equatable {
    enum Code: Int32 {
        case usage = 2
        case badFile = 3
    }

    let code: Code
    /// What happened, and what to do.
    let lines: [String]

    init(_ code: Code, _ lines: String...) {
        self.code = code
        self.lines = lines
    }
}
