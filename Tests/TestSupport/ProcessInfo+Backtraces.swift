import Foundation

extension ProcessInfo {
    /// The variables for a program that may crash in a test that reads no backtrace.
    ///
    /// Swift's backtracer takes a second for each crash, installs an alternate stack, and lives on if the test kills the
    /// program meanwhile.
    public static var environmentWithoutBacktraces: [String: String] {
        processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    }
}
