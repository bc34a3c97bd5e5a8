import Synchronization

/// The record that a crashing process writes into its journal, and where it is in the file.
package enum CrashRecord {
    /// The record's words by index.
    package enum Layout {
        /// 1 once the rest of the record is complete.
        package static let state = 0
        /// The signal's number; in the upper half, the reason that the system gives.
        package static let signal = 1
        package static let address = 2
        package static let thread = 3
        package static let isMain = 4
        /// 1 on the thread that dispatched, 2 on another one, 0 if no thread was dispatching.
        package static let dispatching = 5
        package static let stackPointer = 6
        package static let frameCount = 7
        package static let imageCount = 8
        /// The kind of the signal, from 1. The numbers of signals differ between systems.
        package static let kind = 9
        package static let frames = 16
        package static let images = frames + maxFrames
    }

    package static let maxFrames = 64
    package static let maxImages = 14
    package static let words = Layout.images + maxImages * ImageLayout.words

    /// An image's words by index.
    package enum ImageLayout {
        package static let (start, end) = (0, 1)
        package static let name = 7
        package static let words = 12
        package static let nameBytes = (words - name) * 8
    }

    /// The name of a signal kind; `nil` if the kind is unknown.
    package static func name(ofSignal kind: UInt64) -> String? {
        switch kind {
        case 1: "SIGSEGV"
        case 2: "SIGBUS"
        case 3: "SIGILL"
        case 4: "SIGTRAP"
        case 5: "SIGFPE"
        case 6: "SIGABRT"
        default: nil
        }
    }
}
