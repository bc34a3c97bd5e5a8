/// A part of the code that reads what may be hostile, to be tried with any bytes.
///
/// `make fuzz` searches for bytes that it does not stand; the tests try those in `Fixtures/corpus` again.
struct FuzzTarget: Sendable {
    /// The name of its directory in `Fixtures/corpus`.
    let name: String
    /// Reads the bytes, and throws a ``Examination/Finding`` where what comes out cannot be right. A trap is a finding, too.
    let check: @Sendable (UnsafeBufferPointer<UInt8>) throws -> Void

    static let all = [
        json, decoder, changes, patch, steps, journal, records, position, path, recording,
    ]
}

/// What a target should not do.
struct Finding: Error, CustomStringConvertible {
    let description: String
}

func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Finding(description: description()) }
}

/// The value of `body`; `nil` where it fails as it may. Any other error is a finding.
func unless<Value, Failure: Error>(_: Failure.Type, _ body: () throws -> Value) throws -> Value? {
    do {
        return try body()
    } catch is Failure {
        return nil
    } catch {
        throw Finding(description: "an error of another kind: \(error)")
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The parts between line ends, at most so many; the last has all that is left.
    func lines(atMost count: Int) -> [UnsafeBufferPointer<UInt8>] {
        split(separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false)
            .map { UnsafeBufferPointer(rebasing: $0) }
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
