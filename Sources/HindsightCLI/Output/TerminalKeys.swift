import Foundation
import HindsightSupport

/// Reads single keys from a terminal, without a return key, and shows none of them.
///
/// The terminal gets its settings back when ``restore()`` is called. Ctrl-C still sends SIGINT.
final class TerminalKeys {
    private let descriptor: Int32
    private let settings: termios
    private var pending: [UInt8] = []

    private static let escape: UInt8 = 0x1B

    /// Fails if a descriptor is no terminal.
    init?(of descriptor: Int32) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        self.descriptor = descriptor
        self.settings = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { return nil }
    }

    func restore() {
        var settings = settings
        tcsetattr(descriptor, TCSANOW, &settings)
    }

    /// Waits for a key.
    ///
    /// - Returns: An ASCII character; `nil` if the input has ended, or a signal asks this process to end.
    func next() -> Character? {
        while TerminationSignal.received == nil {
            while !pending.isEmpty {
                let byte = pending.removeFirst()
                if byte == Self.escape {
                    // An arrow key sends ESC [ A, which is no answer.
                    if pending.isEmpty, Descriptor.hasInput(descriptor, milliseconds: 50) == true { _ = fill() }
                    pending = []
                } else if byte < 0x80 {
                    return Character(UnicodeScalar(byte))
                }
            }
            if Descriptor.hasInput(descriptor, milliseconds: 100) == true, !fill() { return nil }
        }
        return nil
    }

    /// Reads what has been typed.
    ///
    /// - Returns: Whether the input is open.
    private func fill() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        let result = bytes.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) }
        guard case .success(let count) = result, count > 0 else { return false }
        pending += bytes[..<count]
        return true
    }
}
