import Foundation

/// The library of `Tests/FaultShim`, which makes calls fail and processes die.
enum Shim {
    /// The library's path; `nil` without a C compiler, and on a Mac, which lacks some of its calls and restricts
    /// preloading.
    static let library: URL? = {
        #if os(Linux)
            let source = Subject.package.appendingPathComponent("Tests/FaultShim/shim.c")
            let name = "FaultShim-\(ProcessInfo.processInfo.processIdentifier).so"
            let library = Subject.products.appendingPathComponent(name)
            for compiler in ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"]
            where FileManager.default.isExecutableFile(atPath: compiler) {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: compiler)
                process.arguments = ["-O1", "-fPIC", "-shared", "-o", library.path, source.path]
                do {
                    try process.run()
                } catch {
                    continue
                }
                process.waitUntilExit()
                guard process.terminationStatus == 0 else { continue }
                let final = Subject.products.appendingPathComponent("FaultShim.so")
                // Atomically, since a concurrent test run may use it.
                return rename(library.path, final.path) == 0 ? final : nil
            }
        #endif
        return nil
    }()

    static var isAvailable: Bool { library != nil }

    static let missing = "Calls are made to fail by a preloaded library: that takes Linux and a C compiler (cc)."

    /// Whether a process can be killed before each single store into memory.
    static var steps: Bool {
        #if arch(x86_64)
            isAvailable
        #else
            false
        #endif
    }
}

/// The fault that a process is to suffer.
struct Fault: CustomStringConvertible {
    /// The call that fails, counted from 1.
    var call: Int?
    /// The name of the only call that counts.
    var only: String?
    /// 0 if the call does half of its work.
    var error: Int32 = 0
    /// Whether all later calls fail too.
    var always = false
    /// The point at which the process is killed.
    var kill: Int?
    /// Whether stores into the journal count as points, or appear in the log.
    var stores = false

    func environment(for recording: URL, library: URL, count: URL, log: URL?) -> [String: String] {
        var environment = ["LD_PRELOAD": library.path, "FAULT_PATH": recording.path, "FAULT_COUNT": count.path]
        environment["FAULT_CALL"] = call.map { "\($0)" }
        environment["FAULT_ONLY"] = only
        environment["FAULT_ERRNO"] = "\(error)"
        environment["FAULT_ALWAYS"] = always ? "1" : nil
        environment["FAULT_KILL"] = kill.map { "\($0)" }
        environment["FAULT_STORES"] = stores ? "1" : nil
        environment["FAULT_LOG"] = log?.path
        return environment
    }

    var description: String {
        if let kill { return "killed at point \(kill)" }
        guard let call else { return "no fault" }
        let how = error == 0 ? "does half" : "fails with \(String(cString: strerror(error)))"
        return "\(only ?? "") call \(call) \(how)\(always ? ", and so do all after it" : "")"
    }
}
