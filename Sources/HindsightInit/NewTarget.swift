/// A target that `init` adds to the package.
struct NewTarget: Equatable {
    enum Kind: String {
        case library, executable, test
    }

    let kind: Kind
    let name: String
    /// The target of the package that it depends on.
    var library: String?
    /// The products of Hindsight that it depends on.
    let products: [String]

    /// The file that `swift package add-target` creates.
    var stub: String { "\(kind == .test ? "Tests" : "Sources")/\(name)/\(name).swift" }

    /// The arguments of `swift package` that add the target to the manifest.
    ///
    /// - Parameter package: The name that the manifest gives to Hindsight's package.
    func commands(package: String) -> [[String]] {
        let add = ["add-target", name, "--type", kind.rawValue] + (library.map { ["--dependencies", $0] } ?? [])
        return [add] + products.map { ["add-target-dependency", $0, name, "--package", package] }
    }

    /// The entry in the manifest's list of targets, for a user to paste.
    func entry(package: String) -> String {
        let function =
            switch kind {
            case .library: "target"
            case .executable: "executableTarget"
            case .test: "testTarget"
            }
        let dependencies =
            (library.map { ["\"\($0)\""] } ?? [])
            + products.map { ".product(name: \"\($0)\", package: \"\(package)\")" }
        return """
            .\(function)(
                name: "\(name)",
                dependencies: [
            \(dependencies.map { "        \($0)," }.joined(separator: "\n"))
                ]\(kind == .test ? ",\n    exclude: [\"Fixtures\"]" : "")
            ),
            """
    }
}
