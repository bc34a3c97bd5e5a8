import Foundation
import PackagePlugin

/// `swift package hindsight`: builds the package's own tool and runs it. `swift package hindsight init` creates the tool.
///
/// The plugin declares no permission, so that SwiftPM asks nothing before a command that only reads. A command that writes
/// into the package needs `--allow-writing-to-package-directory` where SwiftPM has a sandbox, on macOS.
@main
struct HindsightCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let arguments = PluginArguments(arguments)
        if arguments.rest.first == "init" {
            try Program(url: context.tool(named: "HindsightInit").url)
                .run(try facts(of: context) + arguments.rest.dropFirst())
        }
        let product = try tool(of: context.package, named: arguments.tool)
        if !arguments.rest.contains("--json") { Diagnostics.progress("Building \(product)") }
        let result = try packageManager.build(
            .product(product),
            parameters: .init(configuration: arguments.isRelease ? .release : .debug)
        )
        let executables = result.builtArtifacts.filter { $0.kind == .executable }
        guard result.succeeded,
            let built = executables.first(where: { $0.url.deletingPathExtension().lastPathComponent == product })
                ?? executables.first
        else { throw PluginFailure("The tool \(product) does not build.\n\(result.logText)") }
        try Program(url: built.url).run(arguments.rest)
    }

    /// The product of the executable target that depends on HindsightCLI.
    private func tool(of package: Package, named name: String?) throws -> String {
        let tools = package.targets(ofType: SwiftSourceModuleTarget.self)
            .filter { $0.kind == .executable && $0.dependencies.contains(where: isCommandLine) }
            .map { target in
                let product = package.products(ofType: ExecutableProduct.self).first { $0.mainTarget.id == target.id }
                return (target: target.name, product: product?.name ?? target.name)
            }
        let names = tools.map(\.product).sorted().joined(separator: ", ")
        if let name {
            if let tool = tools.first(where: { $0.product == name || $0.target == name }) { return tool.product }
            throw PluginFailure(
                tools.isEmpty
                    ? "No executable target named \(name) depends on HindsightCLI."
                    : "No executable target named \(name) depends on HindsightCLI. Those that do: \(names)."
            )
        }
        guard let tool = tools.first else {
            throw PluginFailure(
                """
                No executable target of this package depends on HindsightCLI. To create one, run:
                  swift package hindsight init
                """
            )
        }
        guard tools.count == 1 else {
            throw PluginFailure(
                """
                Several executable targets of this package depend on HindsightCLI: \(names). To choose one, run:
                  swift package hindsight --tool \(tool.product) COMMAND
                """
            )
        }
        return tool.product
    }

    private func isCommandLine(_ dependency: TargetDependency) -> Bool {
        switch dependency {
        case .target(let target): target.name == "HindsightCLI"
        case .product(let product): product.name == "HindsightCLI"
        @unknown default: false
        }
    }

    /// The arguments that tell HindsightInit about the package.
    private func facts(of context: PluginContext) throws -> [String] {
        let package = context.package
        let hindsight = package.dependencies.first { dependency in
            dependency.package.products.contains { $0.name == "HindsightCLI" }
        }
        let libraries = package.targets(ofType: SwiftSourceModuleTarget.self).filter { $0.kind == .generic }
        return ["--directory", package.directoryURL.path, "--package", package.displayName]
            + ["--swift", try context.tool(named: "swift").url.path]
            + ["--dependency", hindsight?.package.id ?? "hindsight"]
            + package.targets.flatMap { ["--existing", $0.name] }
            + libraries.flatMap { ["--library", $0.name, $0.directoryURL.path] }
    }
}
