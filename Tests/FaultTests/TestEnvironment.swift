import Foundation

/// The means of this machine to change a process's environment.
enum TestEnvironment {
    /// Runs a command, waits for its end, and returns whether it succeeded.
    @discardableResult
    static func run(_ command: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Whether a small file system can be mounted.
    static let canMount: Bool = {
        #if os(Linux)
            guard let disk = try? SmallDisk(kilobytes: 64) else { return false }
            disk.eject()
            return true
        #else
            return false
        #endif
    }()

    /// The prefix of a command that runs a program without root's privileges; empty if this user has none, `nil` if
    /// there is no such command.
    static let unprivileged: [String]? = {
        if geteuid() != 0 { return [] }
        let command = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let app = Subject.products.appendingPathComponent("LedgerApp").path
        return run("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x", app)
            ? command : nil
    }()
}

/// A small file system in memory that fills up soon.
final class SmallDisk {
    let directory: URL
    private var isMounted = false

    struct NotMounted: Error {}

    init(kilobytes: Int) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("hindsight-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        isMounted = TestEnvironment.run("mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "none", directory.path)
        guard isMounted else {
            try FileManager.default.removeItem(at: directory)
            throw NotMounted()
        }
    }

    /// Makes it read-only.
    func freeze() -> Bool { TestEnvironment.run("mount", "-o", "remount,ro", directory.path) }

    func eject() {
        guard isMounted else { return }
        isMounted = false
        if !TestEnvironment.run("umount", directory.path) { print("left mounted: \(directory.path)") }
        _ = rmdir(directory.path)
    }

    deinit { eject() }
}
