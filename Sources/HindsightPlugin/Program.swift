import Foundation
import PackagePlugin

/// A built program, which takes over the rest of the plugin's run.
struct Program {
    let url: URL

    /// Runs the program to its end, and ends the plugin with its exit code, or 128 and the signal that ended it.
    ///
    /// `swift package` itself exits with 1 for every code but 0, and prints the code. The program writes to the plugin's
    /// output, and has no input: SwiftPM uses a plugin's standard input itself.
    func run(_ arguments: [String]) throws -> Never {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // SwiftPM passes Ctrl-C on to the plugin only.
        let id = process.processIdentifier
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { kill(id, number) }
            source.resume()
            return source
        }
        process.waitUntilExit()
        withExtendedLifetime(sources) {}
        #if os(macOS)
            if process.terminationStatus == 3 {
                print("To write into the package, run: swift package --allow-writing-to-package-directory hindsight …")
            }
        #endif
        exit(process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
    }
}

/// Why the plugin cannot run a program.
struct PluginFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
