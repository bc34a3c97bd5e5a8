import Foundation
import HindsightSupport
import HindsightTree

extension Process {
    /// Runs the executable.
    ///
    /// - Throws: ``Failure`` that says why the system starts no process.
    func start() throws(Failure) {
        do {
            try run()
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
            if cause.domain == NSPOSIXErrorDomain, cause.code == Int(E2BIG) {
                throw Failure(
                    .usage,
                    "The arguments are too long for a process of their own.",
                    "An argument may have about 100 KB, and all together about 1 MB."
                )
            }
            let reason = cause.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(cause.code))) : "\(cause)"
            throw Failure(.badFile, "No process could be started: \(escape(reason)).")
        }
    }
}
