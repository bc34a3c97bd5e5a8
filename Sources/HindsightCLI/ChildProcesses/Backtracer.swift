import Foundation
import HindsightSupport

/// The settings of Swift's backtracer for the child process of a replay.
enum Backtracer {
    static let variable = "SWIFT_BACKTRACE"

    /// The time limit of the backtracer, which reads the symbols of the whole app.
    static let timeout: Duration = .seconds(20)

    /// Whether the environment switches backtraces off.
    static var isSwitchedOff: Bool {
        (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: ",").last { $0.hasPrefix("enable=") }
            .map { ["no", "false", "off", "0"].contains($0.dropFirst("enable=".count)) } ?? false
    }

    /// The settings for the child. They replace those of the environment, except the path of the backtracer.
    static var settings: String {
        let given = ProcessInfo.processInfo.environment[variable] ?? ""
        if isSwitchedOff { return given }
        var settings = [
            // The runtime prints no message about unknown settings after this one.
            "warnings=suppressed", "enable=yes", "interactive=no", "color=no", "threads=crashed", "format=json",
            "output-to=stderr", "limit=96", "top=4", "cache=no",
        ]
        let chosen = given.split(separator: ",").last { $0.hasPrefix("swift-backtrace=") }.map(String.init)
        // The runtime finds the backtracer beside a shared standard library.
        if let path = chosen ?? (LoadedImages.hasSharedStandardLibrary ? nil : find().map { "swift-backtrace=\($0)" }) {
            settings.append(path)
        }
        return settings.joined(separator: ",")
    }

    /// The backtracer of the toolchain in `PATH`, for a tool that links the standard library statically.
    private static func find() -> String? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let roots = path.map { URL(filePath: $0).appending(path: "swift").resolvingSymlinksInPath() }
            .filter { FileManager.default.isExecutableFile(atPath: $0.path) }
            .map { $0.deletingLastPathComponent().deletingLastPathComponent() }
        for root in roots {
            for name in ["swift-backtrace-static", "swift-backtrace"] {
                let file = root.appending(path: "libexec/swift/linux/\(name)").path
                if FileManager.default.isExecutableFile(atPath: file), !file.contains(",") { return file }
            }
        }
        return nil
    }
}
