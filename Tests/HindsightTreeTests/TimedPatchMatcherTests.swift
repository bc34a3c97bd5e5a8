import Testing

@testable import HindsightTree

/// Comparing steps with their text, beside reading the text.
@Suite struct TimedPatchMatcherTests {
    private static let patches: [Patch] = [
        Patch(),
        Patch(from: ["a": 1], to: ["a": 2]),
        Patch(from: ["a": ["x"]], to: ["a": ["x", "y"]]),
        Patch(from: ["a": "some text"], to: ["a": "some longer text"]),
        Patch(from: ["a": 1], to: ["a": 1, "ä\"b": .null]),
    ]

    @Test func `patches match their own text and no other`() throws {
        for first in Self.patches {
            for second in Self.patches {
                let text = TimedPatches.write([
                    TimedPatch(duration: 12, patch: first), TimedPatch(duration: 0, patch: second),
                ])
                for third in Self.patches {
                    for fourth in Self.patches {
                        var matcher = TimedPatchMatcher(Array(text.text.utf8))
                        #expect(matcher.matchNext(third) == (third == first))
                        if third != first { continue }
                        #expect(!matcher.isAtEnd)
                        #expect(matcher.matchNext(fourth) == (fourth == second))
                        #expect(matcher.isAtEnd == (fourth == second))
                    }
                }
            }
        }
    }

    @Test(arguments: [
        "", "[", "[]", "[null]", "[1", "[-1]", "[1.5]", "{}", "1", "[[1]]", "[[1,]]", "[\"a\"]", "[1 ]",
        "[[null,[\"r/a\",1,2]]]",
        "[[1,[\"r/a\",1,2]", "[[1,[\"r/a\",1,2]]", "[[1,[\"r/a\",1,20]]]",
    ])
    func `another text matches nothing that it does not say`(text: String) {
        for patch in Self.patches {
            var matcher = TimedPatchMatcher(Array(text.utf8))
            let isMatch = matcher.matchNext(patch) && matcher.isAtEnd
            #expect(!isMatch, "\(patch)")
        }
        var matcher = TimedPatchMatcher(Array("[]".utf8))
        #expect(!matcher.isAtEnd && !matcher.matchNext(Patch()))
    }
}
