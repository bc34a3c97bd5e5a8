import Foundation
import HindsightFormat

extension Examination {

    /// Saves the longest sound part in a new recording. Does not touch the damaged one.
    ///
    /// Actions keep their numbers. The first position of the part, which may be other than 0, becomes the initial
    /// state. An action whose payload was lost is a gap. Examining the result finds no damage.
    ///
    /// The output is created completely or not at all. Costs reading and writing the part.
    ///
    /// - Parameters:
    ///   - output: The new file. Its directory must exist.
    ///   - overwrite: Whether to replace an existing file. Otherwise an existing file is an error.
    /// - Returns: The saved range: from the position of the initial state to the last action, including those from the
    ///   journal.
    /// - Throws: A `RecordingError` with the code `damaged` if nothing can be saved; `exists`, `inUse` or `unwritable`;
    ///   or a code of opening the damaged recording.
    @discardableResult
    package func salvage(to output: URL, overwrite: Bool = false) throws(RecordingError) -> ClosedRange<Int> {
        guard let part = stored else {
            throw RecordingError(.damaged, file: url.path, reason: RecordingError.hasNothingSound)
        }
        let builder = try RecordingBuilder(from: url.path, to: output.path, overwrite: overwrite)
        defer { builder.discard() }
        do {
            let saved = try builder.write { try SalvageRun(of: self, part, to: $0).run() }
            try builder.commit(asText: false)
            return saved
        } catch {
            throw error as? RecordingError ?? RecordingError(.unwritable, file: output.path, cause: error)
        }
    }
}
