/// Bytes as lower-case hexadecimal digits, two a byte.
package func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Random bytes of the system as hexadecimal digits, which nobody can guess.
package func randomHex(bytes count: Int) -> String {
    var random = SystemRandomNumberGenerator()
    return hex((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
}
