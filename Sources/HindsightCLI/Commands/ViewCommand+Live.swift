import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightView

extension ViewCommand {
    /// `hindsight view --live FILE`
    static func serve(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let place = try arguments.require(SharedArguments.file)
        let others: [any Argument] = [output, from, to, path]
        if let other = others.first(where: { arguments.isGiven($0) }) {
            throw Failure(
                .usage,
                "--live shows all of the recording, so it takes no --\(other.declaration.name).",
                "Leave out one of them."
            )
        }
        guard LiveServer.isIncluded else {
            throw Failure(
                .usage,
                "This build of \(tool.name) has no --live.",
                "Build it with 'swift build --traits Live', which needs libmicrohttpd (libmicrohttpd-dev with apt-get).",
                "\(tool.name) tail -F \(ShellQuoting.quote(place)) follows in the terminal."
            )
        }
        TerminationSignal.observe()
        guard let file = try tool.waitForRecording(at: place) else { return TerminationSignal.codeOfFollowing }
        let server: LiveServer
        do {
            server = try LiveServer()
        } catch {
            throw Failure(.badFile, "No server could be started on 127.0.0.1: \(error).")
        }
        var source = LiveSource(host: server.host, token: randomHex(bytes: 16)) {
            let isDirectory = RunDirectory.exists(at: place)
            let newest = isDirectory ? try RunDirectory(at: URL(filePath: place)).newest() : nil
            return try Recording(at: newest ?? URL(filePath: file))
        }
        let (name, version) = (tool.name, "\(tool.name) \(Tool.version)")
        source.prepare = { page in
            page.command = name
            page.tool = version
        }
        server.serve(source)
        tool.print(arguments, json: printable(["file": .string(file), "address": .string(source.address)])) {
            tool.console.print("\(escape(place)) is at \(source.address) until you press Ctrl-C.")
        }
        tool.console.output.flush()
        if arguments[open] { Browser.open(address: source.address, tool) }
        while TerminationSignal.wait(milliseconds: 1000, output: tool.outputDescriptor) {}
        // It must not be released before.
        withExtendedLifetime(server) {}
        return TerminationSignal.codeOfFollowing
    }
}
