import TestSupport
import Testing

@testable import HindsightTree

@Suite("Path patterns") struct PathAutomatonTests {
    @Test(
        "A pattern hides a path and all below it",
        arguments: [
            ("/user/email", "/user/email", true),
            ("/user/email", "/user/email/domain", true),
            ("/user/email", "/user", false),
            ("/user/email", "/user/emails", false),
            ("/cards/*/number", "/cards/3/number", true),
            ("/cards/*/number", "/cards/a name/number", true),
            ("/cards/*/number", "/cards/number", false),
            // Elements change their index.
            ("/cards/0/number", "/cards/7/number", true),
            ("/cards/0/number", "/cards/first/number", false),
            ("/**/password", "/password", true),
            ("/**/password", "/a/b/c/password", true),
            ("/**/password", "/a/passwords", false),
            ("/a/**", "/a", true),
            ("/a/**/**/b", "/a/b", true),
            ("/a/**/**/b", "/a/x/y/z/b", true),
            ("/a/**/**/b", "/a/x", false),
            ("/a/**/b/*/c", "/a/x/b/b/1/c", true),
            ("/a/**/b/*/c", "/a/x/b/1/d", false),
            ("", "", true),
            ("", "/anything", true),
            ("/", "/", true),
            ("/", "/a", false),
            ("/a~1b/~0", "/a~1b/~0/c", true),
        ]
    )
    func table(pattern: String, path: String, isHidden: Bool) throws {
        let mask = try RedactionMask([pattern])
        #expect(try mask.hides(#require(NodePath(path))) == isHidden)
    }

    @Test(
        "A pattern that other patterns make redundant is detected",
        arguments: [
            (["/user", "/user/email"], ["/user/email"]),
            (["/cards/*", "/cards/3/number", "/cards/old/number"], ["/cards/3/number", "/cards/old/number"]),
            (["/cards/3", "/cards/*/number"], []),
            (["/**/password", "/a/password/old", "/a"], ["/a/password/old"]),
            (["/a/b", "/a/b"], []),
            (["", "/a"], ["/a"]),
        ]
    )
    func covered(patterns: [String], expected: [String]) throws {
        #expect(try RedactionMask(patterns).covered(of: patterns) == expected)
    }

    @Test("Each pattern that matched is reported once, however the value becomes a node")
    func met() throws {
        struct Card: Codable { var number = "1", note: String?, owner = ["name": "Ann"] }
        let redactor = try Redactor(["/number", "/note", "/owner/name", "/nubmer", "/owner/*"].map { ($0, nil) })
        #expect(redactor.matchCount == 0 && redactor.matchedPatterns.isEmpty)
        _ = try TextEncoder.text(of: Card(), redactor: redactor)
        #expect(redactor.matchedPatterns == ["/number", "/owner/name", "/owner/*"])
        let count = redactor.matchCount
        _ = try TextEncoder.text(of: Card(), redactor: redactor)
        #expect(redactor.matchCount == count)
        _ = redactor.redacted(["note": "a", "nubmers": 1])
        #expect(redactor.matchedPatterns == ["/number", "/note", "/owner/name", "/owner/*"])
        #expect(redactor.matchCount > count)
    }

    @Test("Several patterns hide the union of their paths", arguments: Seeded.runs(100))
    func many(random: Seeded) throws {
        var random = random
        let names = ["a", "b", "c", "0", "17", "*", "**", "**"]
        let patterns = (0..<random.below(5)).map { _ in (0..<random.below(6)).map { _ in random.pick(names) } }
        let mask = try RedactionMask(patterns.map { NodePath($0).description })
        for _ in 0..<40 {
            let path = (0..<random.below(7)).map { _ in random.pick(["a", "b", "c", "0", "4", "d"]) }
            let expected = patterns.contains { pattern in
                (0...path.count).contains { Self.matches(pattern[...], path.prefix($0)) }
            }
            #expect(mask.hides(NodePath(path)) == expected, "\(patterns) \(path), \(random)")
        }
    }

    /// A literal implementation of the definition.
    private static func matches(_ pattern: ArraySlice<String>, _ path: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        if first == "**" {
            return matches(pattern.dropFirst(), path) || (!path.isEmpty && matches(pattern, path.dropFirst()))
        }
        guard let name = path.first else { return false }
        let fits = first == "*" || first == name || (Int(first) != nil && Int(name) != nil)
        return fits && matches(pattern.dropFirst(), path.dropFirst())
    }

    @Test("An invalid or too expensive pattern throws")
    func refused() {
        #expect(throws: PatternError.self) { try Redactor([("user/email", nil)]) }
        #expect(throws: PatternError.self) { try Redactor([("/a~b", nil)]) }
        #expect(throws: PatternError.self) { try RedactionMask(Array(repeating: "/a", count: 1001)) }
        let intricate = "/**/a" + String(repeating: "/*", count: 30)
        #expect(throws: PatternError.self) { try RedactionMask([intricate]) }
        #expect(throws: PatternError.self) { try RedactionMask((0..<900).map { "/**/n\($0)/x" }) }
        #expect(throws: Never.self) { try RedactionMask((0..<900).map { "/a/n\($0)/x" }) }
        #expect(throws: Never.self) { try RedactionMask([String(repeating: "/**", count: 100_000) + "/x"]) }
        #expect(throws: Never.self) { try RedactionMask((0..<60).map { "/**/n\($0)/x" }) }
    }

    @Test("A path is shown up to the first key that may be a secret")
    func visiblePrefix() throws {
        let redactor = try Redactor([("/users/*/mail", nil)])
        #expect(redactor.visiblePrefix(of: NodePath(["users", "x", "mail", "secret"])).description == "/users/x/mail")
        #expect(redactor.visiblePrefix(of: NodePath(["users", "x", "name"])).description == "/users/x/name")
    }
}
