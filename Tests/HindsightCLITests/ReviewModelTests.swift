import HindsightTree
import TestSupport
import Testing

@testable import HindsightCLI

/// Classes and decisions of a review, without recordings.
@Suite struct ReviewModelTests {
    private func difference(_ type: String, _ path: String, count: Int = 1) -> ExaminedFile.Difference {
        ExaminedFile.Difference(
            type: type,
            reducer: "r",
            path: path,
            cause: "none",
            count: count,
            first: ExaminedFile.Example(seq: 1, position: .init(seq: 1, reducer: 1), path: path, patch: Patch())
        )
    }

    private func file(_ name: String, _ differences: ExaminedFile.Difference...) -> ExaminedFile {
        ExaminedFile(file: name, app: "app", differences: differences)
    }

    @Test(arguments: Seeded.runs(50)) func `A file is rewritten exactly if all its classes are accepted`(seed: Seeded) {
        var random = seed
        let types = ["a", "b", "c", "d"]
        let paths = ["/x", "/y", "/z/w"]
        let files = (0..<random.below(12)).map { index in
            var differences: [ExaminedFile.Difference] = []
            for type in types {
                for path in paths where random.once(in: 6) { differences.append(difference(type, path)) }
            }
            return ExaminedFile(file: "\(index)", app: "app", differences: differences)
        }
        var review = Review(files)
        var decisions: [String: ReviewClass.Decision] = [:]
        for (index, one) in review.classes.enumerated() {
            guard let decision = random.pick([ReviewClass.Decision.accepted, .accepted, .rejected, .skipped, nil])
            else { continue }
            review.decide(index, decision)
            decisions["\(one.key.type ?? "")\(one.key.path)"] = decision
        }
        func states(_ file: ExaminedFile) -> [ReviewClass.Decision?] {
            file.differences.map { decisions["\($0.type ?? "")\($0.path)"] }
        }
        let rewritten = files.filter { !states($0).isEmpty && states($0).allSatisfy { $0 == .accepted } }
        #expect(review.accepted.map(\.file) == rewritten.map(\.file), "\(seed)")
        let waiting = files.filter { states($0).contains(.accepted) && !states($0).allSatisfy { $0 == .accepted } }
        #expect(review.waiting.map(\.file.file) == waiting.map(\.file), "\(seed)")
        #expect(review.isPending == files.contains { !states($0).allSatisfy { $0 == .accepted } }, "\(seed)")
        #expect(review.classes.map(\.count).reduce(0, +) == files.map(\.differences.count).reduce(0, +), "\(seed)")
    }

    @Test func `Classes have their names from what differs, not from the files`() {
        let one = Review([file("x", difference("a", "/p")), file("y", difference("b", "/p"))])
        let other = Review([file("z", difference("b", "/p"), difference("c", "/q"), difference("a", "/p"))])
        let ids = Set(one.classes.map(\.id))
        #expect(ids.count == 2)
        #expect(ids.isSubset(of: other.classes.map(\.id)))
        #expect(ids.allSatisfy { $0.count == 10 && ["-a", "-b"].contains($0.suffix(2)) }, "\(ids)")
    }

    @Test func `A pattern takes in the classes that it covers`() {
        let review = Review([
            file("x", difference("a", "/items/*/title", count: 5)), file("y", difference("a", "/items/first/title")),
            file("z", difference("a", "/items/first/done"), difference("b", "/items/first/title")),
        ])
        #expect(review.classes.count == 3 && review.classes[0].key.path == "/items/*/title")
        #expect(review.classes[0].count == 6 && review.classes[0].fileIndices == [0, 1])
    }

    @Test func `The beginning of a name is enough if only one class has it`() throws {
        // Of 17 names, two begin with the same hexadecimal digit.
        let review = Review((0..<17).map { file("\($0)", difference("a", "/p\($0)")) })
        let digits = Dictionary(grouping: review.classes) { $0.id.prefix(1) }
        let shared = try #require(digits.first { $0.value.count > 1 })
        let failure = #expect(throws: Failure.self) { try review.index(of: String(shared.key)) }
        #expect(failure?.code == .usage && failure?.lines.first?.contains("more than one class") == true)
        #expect(throws: Failure.self) { try review.index(of: "") }
        for (index, one) in review.classes.enumerated() { #expect(try review.index(of: one.id) == index) }
    }

    @Test func `A crash holds its files back, and is never accepted`() {
        var crashed = file("x")
        crashed.problem = ExaminedFile.Problem(Failure(.crash, "It crashed."))
        crashed.problem?.isCrash = true
        var unread = file("y")
        unread.problem = ExaminedFile.Problem(Failure(.badFile, "It is damaged."))
        var review = Review([crashed, unread, file("z", difference("a", "/p"))])
        for index in review.classes.indices { review.decide(index, .accepted) }
        #expect(review.accepted.map(\.file) == ["z"])
        #expect(review.unreviewed.map(\.file) == ["y"])
        #expect(review.isPending && review.undecided.count == 1)
    }
}
