import Foundation
import HindsightSupport

/// The user's browser.
enum Browser {
    #if canImport(Darwin)
        private static let program = "open"
    #else
        private static let program = "xdg-open"
    #endif

    /// Opens a file, and does not wait for it. If that fails, a note has its address.
    static func open(_ path: String, _ tool: Tool) {
        let url = URL(filePath: path).absoluteURL
        open(url.path, named: url.absoluteString, tool)
    }

    /// Opens an address of this machine.
    static func open(address: String, _ tool: Tool) { open(address, named: address, tool) }

    private static func open(_ word: String, named address: String, _ tool: Tool) {
        if !spawn(word) {
            tool.console.note("note: \(program) could not be started. Open \(escape(address)) in a browser.")
        }
    }

    private static func spawn(_ word: String) -> Bool {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // What a browser prints is of no use here, and it may hold the tool's output open for hours.
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments = [strdup(program), strdup(word), nil]
        var variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id = pid_t()
        return posix_spawnp(&id, program, &actions, nil, &arguments, &variables) == 0
    }
}
