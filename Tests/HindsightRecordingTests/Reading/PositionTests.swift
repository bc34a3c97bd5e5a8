import Foundation
import HindsightRecording
import Testing

@Suite("Positions") struct PositionTests {
    @Test("Positions are ordered in time")
    func order() {
        let positions = ["0", "1.0", "1.1", "1.2", "1", "2.0", "2"].compactMap { Recording.Position($0) }
        #expect(positions.count == 7)
        #expect(positions.shuffled().sorted() == positions)
        #expect(positions.map(\.description) == ["0", "1.0", "1.1", "1.2", "1", "2.0", "2"])
        for text in ["", ".", "1.", ".1", "-1", "+1", "1.2.3", "1.x", "99999999999999999999", "１", " 1"] {
            #expect(Recording.Position(text) == nil, "\(text)")
        }
    }

    @Test("A text names a position, or the error lists the possible ones")
    func texts() throws {
        let scratch = Scratch()
        let recording = try recordShop(20, seed: 8, to: scratch.file())

        let good: [(String, Recording.Position)] = [
            ("start", Recording.Position(seq: 0)), ("0", Recording.Position(seq: 0)),
            ("end", Recording.Position(seq: 20)),
            ("7", Recording.Position(seq: 7)), ("7.4", Recording.Position(seq: 7, reducer: 4)),
            ("7.0", Recording.Position(seq: 7, reducer: 0)),
            ("0%", Recording.Position(seq: 0)), ("50%", Recording.Position(seq: 10)),
            ("12.5%", Recording.Position(seq: 3)),
            ("100%", Recording.Position(seq: 20)),
        ]
        for (text, position) in good {
            #expect(try recording.position(text) == position, "\(text)")
        }
        let bad: [(String, RecordingError.Code)] = [
            ("21", .positionOutOfRange), ("7.5", .positionOutOfRange), ("0.1", .positionOutOfRange),
            ("99999999999999999999", .positionOutOfRange), ("crash", .positionOutOfRange),
            ("", .badPosition), ("-1", .badPosition), ("101%", .badPosition), ("nan%", .badPosition),
            ("%", .badPosition), ("middle", .badPosition), ("7.", .badPosition), ("\u{1B}[31m", .badPosition),
        ]
        for (text, code) in bad {
            let error = #expect(throws: RecordingError.self, "\(text)") { try recording.position(text) }
            #expect(error?.code == code, "\(text)")
            #expect(error?.given == text)
            #expect(error?.description.contains("0 to 20") == true)
            #expect(error?.description.contains("\u{1B}") == false)
        }
        // These texts name no position.
        for position in [
            Recording.Position(seq: -1), Recording.Position(seq: -1, reducer: 0),
            Recording.Position(seq: 1, reducer: -1),
        ] {
            let error = #expect(throws: RecordingError.self, "\(position)") { try recording.state(at: position) }
            #expect(error?.code == .positionOutOfRange)
            #expect(error?.reason?.contains("dropped") != true, "\(position)")
        }
    }
}
