/// A copy of this process. Only Linux has any use for it: Swift does not import the function on Apple's systems, whose
/// frameworks do not work in a copy.
package enum ForkedProcess {
    package static var isAvailable: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Copies this process.
    ///
    /// - Returns: 0 in the copy, its id in this process, -1 if there is no copy.
    package static func start() -> pid_t {
        #if os(Linux)
            fork()
        #else
            -1
        #endif
    }

    /// Whether a process waits for something.
    package static func isAsleep(_ process: pid_t) -> Bool {
        #if os(Linux)
            guard let text = ProcessFolder.contents(of: "/proc/\(process)/stat") else { return false }
            // The name before it, in parentheses, may have any characters.
            let rest = text[(text.lastIndex(of: UInt8(ascii: ")")) ?? text.startIndex)...]
            return rest.dropFirst(2).first == UInt8(ascii: "S")
        #else
            return false
        #endif
    }

    /// The open descriptors of this process; none if the system does not tell.
    package static func descriptors() -> [Int32] {
        #if os(Linux)
            guard let folder = opendir("/proc/self/fd") else { return [] }
            defer { closedir(folder) }
            var numbers: [Int32] = []
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if let number = Int32(name), number != dirfd(folder) { numbers.append(number) }
            }
            return numbers
        #else
            return []
        #endif
    }
}
