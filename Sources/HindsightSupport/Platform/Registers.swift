/// The registers of an interrupted thread that are needed to find its frames.
///
/// They are read by their offsets in `ucontext_t`, which is a stable kernel interface. Swift's import of the type
/// differs between versions of the C library. Zeros on other processors. Safe in a signal handler.
package struct Registers {
    package private(set) var programCounter: UInt = 0
    package private(set) var framePointer: UInt = 0
    package private(set) var stackPointer: UInt = 0

    /// The bits of a word that are an address. The others may be its signature.
    package static var addressBits: UInt {
        #if os(Linux) && arch(arm64)
            // Programs have 48 bits there, and libraries are near the upper end.
            1 << 48 - 1
        #else
            1 << 47 - 1
        #endif
    }

    /// - Parameter context: The third argument of a signal handler.
    package init(_ context: UnsafeMutableRawPointer) {
        func word(_ base: UnsafeMutableRawPointer, _ offset: Int) -> UInt {
            (base + offset).assumingMemoryBound(to: UInt.self).pointee
        }
        #if canImport(Darwin)
            guard let machine = UnsafeMutableRawPointer(bitPattern: word(context, 48)) else { return }
            #if arch(arm64)
                let (pc, fp, sp) = (word(machine, 272), word(machine, 248), word(machine, 264))
            #elseif arch(x86_64)
                let (pc, fp, sp) = (word(machine, 144), word(machine, 64), word(machine, 72))
            #else
                let (pc, fp, sp): (UInt, UInt, UInt) = (0, 0, 0)
            #endif
        #else
            #if arch(arm64)
                let (pc, fp, sp) = (word(context, 440), word(context, 416), word(context, 432))
            #elseif arch(x86_64)
                let (pc, fp, sp) = (word(context, 168), word(context, 120), word(context, 160))
            #else
                let (pc, fp, sp): (UInt, UInt, UInt) = (0, 0, 0)
            #endif
        #endif
        programCounter = pc & Self.addressBits
        framePointer = fp & Self.addressBits
        stackPointer = sp & Self.addressBits
    }
}
