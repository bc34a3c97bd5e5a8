import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

/// The numbers and entries of changed logs.
@Suite struct ChangedLogTests {
    typealias Edit = ChangedLog.Edit

    /// The changed log as a plain list, made one action after the other.
    private static func list(after start: Int, upTo last: Int, _ edits: [Edit]) -> [(
        entry: ChangedLog.Entry, moment: Int
    )] {
        var (gone, payloads): (Set<Int>, [Int: Node]) = ([], [:])
        for edit in edits {
            switch edit {
            case .skip(let seq), .move(let seq, _): gone.insert(seq)
            case .skipAll(let seqs, _): gone.formUnion(seqs)
            case .edit(let seq, let node): payloads[seq] = node
            case .insert: break
            }
        }
        func own(_ seq: Int) -> ChangedLog.Entry { payloads[seq].map { .edited(seq, $0) } ?? .recorded(seq) }
        var list: [(entry: ChangedLog.Entry, moment: Int)] = []
        for moment in start...last {
            if moment > start, !gone.contains(moment) { list.append((own(moment), moment)) }
            for edit in edits {
                switch edit {
                case .insert(let node, moment): list.append((.inserted(node), moment))
                case .move(let seq, moment): list.append((own(seq), moment))
                default: break
                }
            }
        }
        return list
    }

    /// Edits without contradictions.
    static func edits(after start: Int, upTo last: Int, _ random: inout Seeded, action: (inout Seeded) -> Node)
        -> [Edit]
    {
        var (edits, skipped, edited, moved): ([Edit], Set<Int>, Set<Int>, Set<Int>) = ([], [], [], [])
        for _ in 0..<random.below(7) {
            let seq = start + 1 + random.below(last - start)
            let moment = start + random.below(last - start + 1)
            let isChanged = edited.contains(seq) || moved.contains(seq)
            switch random.below(5) {
            case 0 where !isChanged:
                edits.append(.skip(seq))
                skipped.insert(seq)
            case 1 where !isChanged:
                edits.append(.skipAll([seq], rule: "rule"))
                skipped.insert(seq)
            case 2 where !skipped.contains(seq) && edited.insert(seq).inserted:
                edits.append(.edit(seq, to: action(&random)))
            case 3:
                edits.append(.insert(action(&random), after: moment))
            case 4 where !skipped.contains(seq) && moment != seq && moment != seq - 1 && moved.insert(seq).inserted:
                edits.append(.move(seq, after: moment))
            default: break
            }
        }
        return edits
    }

    @Test(arguments: Seeded.runs(300)) func `Numbers and entries are those of a list`(seed: Seeded) throws {
        var random = seed
        let start = random.pick([0, 0, 7])
        let last = start + 1 + random.below(20)
        var marks = 0
        let edits = Self.edits(after: start, upTo: last, &random) { _ in
            marks += 1
            return ["mark": ["id": .int(marks)]]
        }
        let log = try ChangedLog(after: start, upTo: last, edits)
        let list = Self.list(after: start, upTo: last, edits)
        let story: Comment = "\(seed), \(start) to \(last), \(edits.map(\.description))"
        #expect(log.lastNumber == start + list.count, story)
        for (index, item) in list.enumerated() {
            let found = log.entry(start + 1 + index)
            #expect(found.entry == item.entry && found.moment == item.moment, story)
        }
        for seq in start + 1...last {
            let index = list.firstIndex { $0.entry.seq == seq }
            #expect(log.number(of: seq) == index.map { start + 1 + $0 }, story)
            #expect(log.isSkipped(seq) == (index == nil), story)
            let here = list.filter { $0.moment == seq }.map(\.entry)
            #expect(log.isUnchanged(at: seq) == (here == [.recorded(seq)]), story)
        }
        for moment in start...last {
            #expect(log.number(after: moment) == start + list.count { $0.moment <= moment }, story)
        }
        #expect(list.prefix(log.kept - start).map(\.entry) == (start + 1..<log.kept + 1).map { .recorded($0) }, story)
        #expect(log.isUnchanged == edits.isEmpty, story)
        // The spans have each action after the first change once.
        let spans = log.spans(most: .max)
        #expect(
            spans.flatMap { Array($0.recorded) }.sorted()
                == (start + 1...last).filter { $0 > log.kept && !log.isSkipped($0) }
        )
        for span in spans {
            #expect(zip(span.recorded, span.numbers).allSatisfy { log.number(of: $0) == $1 }, story)
        }
    }

    @Test func `Several actions at one moment run in the order of the edits`() throws {
        let log = try ChangedLog(
            after: 0,
            upTo: 3,
            [.insert("a", after: 1), .move(3, after: 1), .insert("b", after: 1)]
        )
        #expect(
            (1...5).map { log.entry($0).entry } == [
                .recorded(1), .inserted("a"), .recorded(3), .inserted("b"), .recorded(2),
            ]
        )
        #expect(log.kept == 1)
        #expect(log.spans(most: 9).map(\.numbers) == [5...5, 3...3])
    }

    @Test func `An action may be edited and moved`() throws {
        let log = try ChangedLog(after: 0, upTo: 3, [.move(1, after: 3), .edit(1, to: "x")])
        #expect((1...3).map { log.entry($0).entry } == [.recorded(2), .recorded(3), .edited(1, "x")])
    }

    @Test func `An action may be skipped twice, and come to a moment whose action is skipped`() throws {
        let log = try ChangedLog(after: 0, upTo: 2, [.skip(1), .skipAll([1, 2], rule: "all"), .insert("x", after: 2)])
        #expect(log.lastNumber == 1 && log.entry(1).entry == .inserted("x") && log.entry(1).moment == 2)
    }

    private static let contradictions: [([ChangedLog.Edit], ChangedLogError.Code, Int)] = [
        ([.skip(0)], .noAction, 0),
        ([.skip(6)], .noAction, 6),
        ([.edit(9, to: "x")], .noAction, 9),
        ([.skipAll([2, 7], rule: "r")], .noAction, 7),
        ([.insert("x", after: 6)], .noMoment, 6),
        ([.insert("x", after: -1)], .noMoment, -1),
        ([.move(2, after: 8)], .noMoment, 8),
        ([.move(2, after: 2)], .unmoved, 2),
        ([.move(2, after: 1)], .unmoved, 2),
        ([.edit(2, to: "x"), .edit(2, to: "x")], .twice, 2),
        ([.move(2, after: 4), .edit(2, to: "x"), .move(2, after: 5)], .twice, 2),
        ([.skip(2), .edit(2, to: "x")], .skippedToo, 2),
        ([.edit(2, to: "x"), .skip(2)], .skippedToo, 2),
        ([.move(3, after: 5), .skipAll([1, 3], rule: "drop-type t")], .skippedToo, 3),
    ]

    @Test(arguments: contradictions) func `Edits that contradict each other are refused`(
        edits: [ChangedLog.Edit],
        code: ChangedLogError.Code,
        seq: Int
    ) {
        let error = #expect(throws: ChangedLogError.self) { try ChangedLog(after: 0, upTo: 5, edits) }
        #expect(error?.code == code && error?.seq == seq, "\(edits)")
        #expect(error?.description.split(separator: "\n").count == 2)
    }

    @Test func `A contradiction names both edits`() {
        let edits: [ChangedLog.Edit] = [.skipAll([1, 3], rule: "drop-type t"), .move(3, after: 5)]
        let error = #expect(throws: ChangedLogError.self) { try ChangedLog(after: 0, upTo: 5, edits) }
        #expect(
            error?.description.hasPrefix("`move 3=5` contradicts `drop-type t`, which leaves action 3 out.") == true
        )
    }
}
