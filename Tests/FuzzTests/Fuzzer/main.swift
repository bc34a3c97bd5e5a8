import Foundation

// Runs one target under the toolchain's fuzzer. See `make fuzz`, and `.make/fuzz` for the build.

@_silgen_name("LLVMFuzzerRunDriver") func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

enum Chosen {
    static let target: FuzzTarget = {
        let wanted = ProcessInfo.processInfo.environment["HINDSIGHT_FUZZ_TARGET"] ?? ""
        if let target = FuzzTarget.all.first(where: { $0.name == wanted }) { return target }
        print("HINDSIGHT_FUZZ_TARGET must be one of: \(FuzzTarget.all.map { $0.name }.joined(separator: " "))")
        exit(2)
    }()
}

/// The fuzzer's runtime has the `main` that runs, but the linker needs this name.
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
