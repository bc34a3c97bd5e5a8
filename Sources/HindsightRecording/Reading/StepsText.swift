import HindsightFormat
import HindsightSQLite
import HindsightTree

/// The steps of an action as they are stored. Most replays need only their text.
package struct StepsText {
    private let text: [UInt8]
    private let seq: Int

    /// Copies a row's column with steps; `nil` if it is null.
    init?(_ row: borrowing Statement, _ column: Int32, seq: Int, of file: ReadableFile) throws {
        if row.isNull(column) { return nil }
        guard let text = row.withText(column, { Array($0) }) else {
            throw file.damaged("what its reducers did is no text", seq: seq)
        }
        (self.text, self.seq) = (text, seq)
    }

    /// Compares steps with these, without parsing them.
    package var matcher: TimedPatchMatcher { TimedPatchMatcher(text) }

    /// Parses the steps.
    ///
    /// - Parameter file: The file that they are from, for errors. A reference to it here would be counted each time that
    ///   the steps are passed on.
    /// - Throws: A `RecordingError` with the code `damaged`.
    func steps(in file: ReadableFile) throws(RecordingError) -> [RecordedStep] {
        do {
            return RecordedStep.steps(try text.withUnsafeBufferPointer(TimedPatches.read))
        } catch {
            throw file.damaged("what its reducers did is not what it should be: \(error)", seq: seq, cause: error)
        }
    }
}
