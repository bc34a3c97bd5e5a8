import HindsightFormat
import HindsightSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Examination {

    /// Saves the longest sound part into a recording of its own. The damaged one is not touched.
    ///
    /// Actions keep their numbers; the part's first position, which need not be 0, is its initial state. An action whose
    /// own payload was lost is a gap. What is saved is sound: examining it finds nothing.
    ///
    /// The output comes into being whole or not at all. Costs reading and writing what is saved.
    ///
    /// - Parameters:
    ///   - output: Where to; its directory must exist.
    ///   - overwrite: Whether an existing file is replaced. It is refused otherwise.
    /// - Returns: What was saved: from a position, which is the initial state, to the last; the actions that stood in the
    ///   journal alone are the last of them.
    /// - Throws: A ``RecordingError``: `damaged` where nothing can be saved; `exists`, `inUse` or `unwritable`; and what
    ///   opening the damaged one throws.
    @discardableResult
    public func salvage(to output: URL, overwrite: Bool = false) throws -> ClosedRange<Int> {
        guard let part = stored else {
            throw RecordingError(.damaged, file: url.path, reason: RecordingError.hasNothingSound)
        }
        try NewFile.check(output.path, overwrite: overwrite)
        if FileSystem.place(of: output.path) == FileSystem.place(of: url.path) {
            throw RecordingError(.unwritable, file: output.path, reason: "it is the recording that is to be saved")
        }
        let draft = output.path + ".part"
        let saved: ClosedRange<Int>
        do {
            saved = try SalvageRun(of: self, part, to: draft).run()
            if overwrite { NewFile.remove(output.path) }
            guard rename(draft, output.path) == 0 else { throw SystemError.last }
        } catch {
            NewFile.remove(draft)
            throw error as? RecordingError ?? RecordingError(.unwritable, file: output.path, cause: error)
        }
        return saved
    }
}
