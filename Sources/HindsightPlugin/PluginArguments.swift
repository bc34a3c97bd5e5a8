/// The plugin's own options, which stand before the tool's command, and the arguments for the tool.
struct PluginArguments {
    private(set) var tool: String?
    private(set) var isRelease = false
    private(set) var rest: [String] = []

    /// SwiftPM's options, which it takes from anywhere in the command line, and passes on.
    private static let swiftPM: Set = ["--allow-writing-to-package-directory", "--disable-sandbox"]

    init(_ arguments: [String]) {
        var words = arguments.filter { !Self.swiftPM.contains($0) }[...]
        while let word = words.first {
            switch word {
            case "--release": isRelease = true
            case "--tool" where words.count > 1:
                words = words.dropFirst()
                tool = words.first
            case _ where word.hasPrefix("--tool="): tool = String(word.dropFirst("--tool=".count))
            default:
                rest = Array(words)
                return
            }
            words = words.dropFirst()
        }
    }
}
