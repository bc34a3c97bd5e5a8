import Synchronization

/// What a crashing process has written into a journal: where that stands in the file.
package enum CrashRecord {
    /// Where things stand in the record's words.
    package enum Layout {
        /// 1 once all the rest is there.
        package static let state = 0
        /// The signal's number, and above it the reason that the system gives for it.
        package static let signal = 1
        package static let address = 2
        package static let thread = 3
        package static let isMain = 4
        /// 1 where it is the thread that dispatched, 2 where it is not, 0 where nobody did.
        package static let dispatching = 5
        package static let stackPointer = 6
        package static let frameCount = 7
        package static let imageCount = 8
        /// Which of the signals it is, from 1: their numbers differ from one system to another.
        package static let kind = 9
        /// How many of the frames were found by frame pointers: the others may be what is left of calls that are over.
        package static let firmCount = 10
        package static let frames = 16
        package static let images = frames + mostFrames
    }

    package static let mostFrames = 64
    package static let mostImages = 14
    package static let words = Layout.images + mostImages * ImageLayout.words

    /// Where things stand in an image's words.
    package enum ImageLayout {
        /// The first address, the one behind the last, and the difference between addresses in memory and in the file.
        package static let (start, end, bias) = (0, 1, 2)
        package static let idCount = 3
        package static let id = 4
        package static let name = 7
        package static let words = 12
        package static let idBytes = (name - id) * 8
        package static let nameBytes = (words - name) * 8
    }

    /// The name of the signal of a record's kind; `nil` where there is none.
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
