import Foundation
import HindsightSupport

/// The user's browser.
enum Browser {
    private static let program = SystemFiles.opener

    /// Opens a file, and does not wait for it. If that fails, a note has its address.
    static func open(_ path: String, _ tool: Tool) {
        let url = URL(filePath: path).absoluteURL
        open(url.path, named: url.absoluteString, tool)
    }

    /// Opens an address of this machine.
    static func open(address: String, _ tool: Tool) { open(address, named: address, tool) }

    private static func open(_ word: String, named address: String, _ tool: Tool) {
        let process = SpawnedProcess()
        // What a browser prints is of no use here, and it may hold the tool's output open for hours.
        for descriptor: Int32 in 0...2 { process.giveNull(as: descriptor, access: O_RDWR) }
        let environment = ProcessInfo.processInfo.environment
        if process.start(program, isInPath: true, [program, word], environment: environment).error != 0 {
            tool.console.note("note: \(program) could not be started. Open \(escape(address)) in a browser.")
        }
    }
}
