import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightSupport
import TestSupport
import Testing

@testable import HindsightTesting

@Suite struct PageAttachmentTests {
    private let scratch = Scratch()
    private var file: URL { scratch.file("tally.hindsight") }

    /// The app, with a reducer that adds one more from action `wrong` on.
    private func app(wrongAt wrong: Int = .max) -> ReplayableApp {
        let reducer = Reducer<Tally, TallyAction>("tally") { state, action in
            guard case .add(let amount) = action else { return }
            state.total += amount >= wrong ? amount + 1 : amount
        }
        return ReplayableApp("tally", initial: Tally(), reducer: reducer)
    }

    private func attachments(wrongAt: Int, isWanted: Bool) -> [String: String] {
        let found = Locked<[String: [UInt8]]>([:])
        PageAttachment.$isWanted.withValue(isWanted) {
            TestAttachment.$receiver.withValue({ name, bytes in found.withLock { $0[name] = bytes } }) {
                withKnownIssue { _ = expectReplay(of: file, by: app(wrongAt: wrongAt), mode: .never) }
            }
        }
        return found.withLock { $0 }.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `A replay that fails attaches pages of the failing part if they are wanted`() throws {
        try recordTally(upTo: 300, to: file)
        let found = attachments(wrongAt: 200, isWanted: true)
        let page = try #require(found["tally.html"])
        #expect(page.hasPrefix("<!doctype html>"))
        #expect(page.contains(#""arguments":{"from":100,"to":220,"path":null},"first":100"#))
        #expect(page.contains(#""file":"tally.hindsight""#))
        #expect(page.contains(#""divergences":[{"number":200,"#))
        #if os(Linux)
            let today = try #require(found["tally.today.html"])
            #expect(today.contains(#""file":"tally.today.hindsight""#))
            #expect(today.contains(#""first":100"#))
        #endif
    }

    @Test func `Without the variable there is no page`() throws {
        try recordTally(upTo: 3, to: file)
        let found = attachments(wrongAt: 2, isWanted: false)
        #expect(found["tally.hindsight"] != nil)
        #expect(!found.keys.contains { $0.hasSuffix(".html") })
    }

    @Test func `Recordings that are too large to be attached are named beside the difference`() throws {
        try recordTally(upTo: 3, to: file)
        let found = TestAttachment.$maxBytes.withValue(100) { attachments(wrongAt: 2, isWanted: true) }
        #expect(found["tally.hindsight"] == nil && found["tally.today.hindsight"] == nil)
        // Pages are attached nevertheless.
        #expect(found["tally.html"] != nil)
        let text = try #require(found["tally.diff.txt"])
        #expect(text.contains("tally.hindsight is not attached: it has "), "\(text)")
        #if os(Linux)
            #expect(text.contains("tally.today.hindsight is not attached: it has "), "\(text)")
        #endif
    }

    @Test(arguments: [(nil, false), ("", false), ("0", false), ("no", false), ("1", true), ("yes", true)])
    func `The variable asks for pages unless it says no`(value: String?, isSet: Bool) {
        #expect(PageAttachment.isSet(value) == isSet)
    }

    @Test func `The failing part begins with a known state, and stays within the recording`() throws {
        try recordTally(upTo: 30, to: file)
        let recording = try Recording(at: file)
        for seq in 0...30 { #expect(PageAttachment.part(of: recording, around: seq) == 0...min(30, seq + 20)) }
        let doubtful = Fixtures.recording("doubtful")
        let other = try Recording(at: doubtful)
        for seq in other.start.seq...other.actionCount {
            let part = PageAttachment.part(of: other, around: seq)
            #expect(part.upperBound >= seq)
            #expect(other.doubtfulStates(at: Recording.Position(seq: part.lowerBound)) == nil)
        }
    }
}
