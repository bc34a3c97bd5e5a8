import Foundation

// One target under the fuzzer of the toolchain. See `make fuzz`, and `.make/fuzz` for how it is built.

@_silgen_name("LLVMFuzzerRunDriver") func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

enum Chosen {
    static let target: FuzzTarget = {
        let wanted = ProcessInfo.processInfo.environment["HINDSIGHT_FUZZ_TARGET"] ?? ""
        if let target = FuzzTarget.all.first(where: { $0.name == wanted }) { return target }
        print("HINDSIGHT_FUZZ_TARGET is to be one of: \(FuzzTarget.all.map { $0.name }.joined(separator: " "))")
        exit(2)
    }()
}

/// The runtime's own `main` is not used; its name is wanted all the same.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try Chosen.target.check(UnsafeBufferPointer(start: bytes, count: count))
    } catch {
        fatalError("\(Chosen.target.name): \(error)")
    }
    return 0
}

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runFuzzer(&count, &arguments, fuzz))
