/// A parser of untrusted bytes.
///
/// `make fuzz` searches for inputs with which it fails. ``CorpusTests`` runs the inputs in `Tests/FuzzTests/Corpus`.
struct FuzzTarget: Sendable {
    /// The name of its directory in `Tests/FuzzTests/Corpus`.
    let name: String
    /// Parses the bytes. Throws a ``Examination/Finding`` if the result is wrong. A trap is a finding, too.
    let check: @Sendable (UnsafeBufferPointer<UInt8>) throws -> Void

    static let all = [
        json, decoder, changes, patch, steps, journal, records, position, path, recording,
    ]
}

/// A wrong result of a target.
struct Finding: Error, CustomStringConvertible {
    let description: String
}

func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Finding(description: description()) }
}

/// The value of `body`; `nil` if it throws an expected error. Any other error is a finding.
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
    /// The lines, at most `count` of them. The last has the rest.
    func lines(atMost count: Int) -> [UnsafeBufferPointer<UInt8>] {
        split(separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false)
            .map { UnsafeBufferPointer(rebasing: $0) }
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
