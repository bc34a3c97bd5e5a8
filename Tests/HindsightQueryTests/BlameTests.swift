import Foundation
import HindsightRecording
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct BlameTests {
    @Test func `blame goes on from computed steps to the recorded ones`() throws {
        let file = Fixtures.recording("crashed/checkout-crash")
        let recording = try Recording(at: file)
        let (path, gross) = (NodePath(["coupons", "applied"]), NodePath(["cart", "totals", "gross"]))
        let steps = (1...6).map { reducer in
            let patch = reducer == 5 ? Patch([.add(path: path, value: "TEN", at: nil)]) : nil
            return RecordedStep(reducer: reducer, durationInNanoseconds: 0, patch: patch)
        }
        let before = try recording.state(at: Recording.Position(seq: 12, reducer: 0))
        let computed = try ComputedSteps(steps, of: 12, from: before)
        let state = try #require(computed.state(at: computed.last))
        let blame = try recording.blame([path, gross], in: state, at: computed.last, computed: computed)
        #expect(blame.position == Recording.Position(seq: 12, reducer: 6))
        let origins = Dictionary(uniqueKeysWithValues: blame.places.map { ($0.path, $0.origin) })
        #expect(origins[path] == .step(Recording.Position(seq: 12, reducer: 5)))
        #expect(origins[gross] == .step(Recording.Position(seq: 11, reducer: 7)))
    }

    /// Questions over random recordings, answered by tagging every value while going forward.
    @Test func `blame agrees with a forward pass that tags every value`() throws {
        var questions = 0
        for var random in RandomRecording.seeds(12) {
            let made = try RandomRecording(seed: random.seed)
            let recording = try made.open()
            let index = try ChangeIndex(of: recording, cache: nil)
            let tagged = TaggedState(made.initial, recording.beginning)
            #expect(tagged.root.node == made.initial)
            var state = made.initial
            let known = Dictionary(made.states.map { ($0.position, $0.state) }) { first, _ in first }
            var rest = made.writes[...]
            // Each known position in order, some of them with questions.
            for position in known.keys.sorted() {
                while let write = rest.first, write.position <= position {
                    tagged.apply(write.patch ?? Patch(from: state, to: write.state), made.origin(of: write))
                    state = write.state
                    rest.removeFirst()
                    #expect(tagged.root.node == state, "the oracle is wrong: \(random)")
                }
                guard let present = known[position], random.once(in: 4) || rest.isEmpty else { continue }
                let path = random.pick(RandomRecording.paths(in: present))
                let blame = try #require(try recording.blame(path, at: position, by: index))
                let expected = tagged.leaves.filter { path.contains($0.path) }
                // Not by their text: texts with the same characters may have different scalars.
                var origins: [NodePath: ChangeOrigin] = [:]
                for (path, value) in expected { origins[path] = value.origin }
                questions += 1
                #expect(blame.places.count == expected.count, "\(random), at \(position), \(path)")
                for place in blame.places {
                    #expect(
                        origins[place.path] == place.origin,
                        "\(random), at \(position), \(place.path) = \(place.value.json)"
                    )
                    #expect(place.value == present[place.path])
                    #expect(place.isRedacted == (place.path.components == ["secret"]))
                }
            }
        }
        #expect(questions >= 250)
    }

    @Test(arguments: ["todo", "checkout", "notepad"])
    func `a value has the same origin alone and in the whole state`(name: String) throws {
        let recording = try Recording(at: Fixtures.recording(name))
        let index = try ChangeIndex(of: recording, cache: nil)
        var random = Seeded.runs(1)[0]
        for seq in stride(from: 1, through: recording.end.seq, by: 4) {
            let position = Recording.Position(seq: seq)
            let whole = try #require(try recording.blame(at: position, by: index))
            for place in whole.places where random.once(in: max(1, whole.places.count / 12)) {
                let alone = try #require(try recording.blame(place.path, at: position, by: index))
                #expect(alone.places.map(\.origin) == [place.origin], "\(random), at \(position), \(place.path)")
            }
        }
    }

    @Test func `blame with and without an index of its own is the same`() throws {
        let made = try RandomRecording(seed: 7)
        let recording = try made.open()
        let index = try ChangeIndex(of: recording, cache: nil)
        let left = try #require(try recording.blame(by: index))
        let right = try #require(try recording.blame())
        #expect(left.places.map(\.origin) == right.places.map(\.origin))
        #expect(left.position == recording.end)
    }

    @Test func `a value moves with its element, also if only values beside it changed`() throws {
        func path(_ index: Int, _ name: String) -> NodePath { NodePath(["items", String(index), name]) }
        let patches = [
            Patch([.replace(path: path(0, "done"), old: false, new: true)]),
            Patch([.replace(path: path(1, "done"), old: false, new: true)]),
            // The elements change places, which have the same value in `done`.
            Patch([
                .replace(path: path(0, "id"), old: 1, new: 2), .replace(path: path(1, "id"), old: 2, new: 1),
            ]),
        ]
        let initial: Node = ["items": [["id": 1, "done": false], ["id": 2, "done": false]]]
        let scratch = Scratch()
        let recording = try scratch.recording(of: patches, after: initial)
        let origins: [(NodePath, Int)] = [(path(0, "done"), 2), (path(1, "done"), 1)]
        for (path, seq) in origins {
            let blame = try #require(try recording.blame(path))
            #expect(blame.places.map(\.value) == [true])
            #expect(blame.places.map(\.origin) == [.step(Recording.Position(seq: seq, reducer: 1))], "\(path)")
        }
        let whole = try #require(try recording.blame())
        for (path, seq) in origins {
            let place = whole.places.first { $0.path == path }
            #expect(place?.origin == .step(Recording.Position(seq: seq, reducer: 1)), "\(path)")
        }
    }

    @Test(arguments: [false, true])
    func `values of a long list agree with the forward pass, without looking for all of them at each action`(
        isSteady: Bool
    ) throws {
        let scratch = Scratch()
        for var random in RandomRecording.seeds(2) {
            var nextID = 100
            let initial: Node = ["list": .array((0..<nextID).map { ["id": .int($0), "n": [0]] })]
            var (state, patches) = (initial, [Patch]())
            for seq in 1...300 {
                // A list that is not steady sometimes has many changes inside elements between two that move elements.
                let isQuiet = isSteady ? random.once(in: 10) : seq % 100 < 60 && !random.once(in: 25)
                let patch = try Self.change(of: state, isQuiet: isQuiet, &nextID, &random)
                try patch.apply(to: &state)
                patches.append(patch)
            }
            let recording = try scratch.recording(of: patches, after: initial)
            let index = try ChangeIndex(of: recording, cache: nil)
            let tagged = TaggedState(initial, recording.beginning)
            for (number, patch) in patches.enumerated() {
                let position = Recording.Position(seq: number + 1, reducer: 1)
                tagged.apply(patch, .step(position))
                guard number % 100 == 99 else { continue }
                let blame = try #require(try recording.blame(at: position, by: index))
                let expected = tagged.leaves
                #expect(blame.places.map(\.path) == expected.map(\.path), "\(random)")
                for (place, leaf) in zip(blame.places, expected) {
                    #expect(place.origin == leaf.value.origin, "\(random), at \(position), \(place.path)")
                }
            }
            guard isSteady else { continue }
            let walk = PlaceWalk(back: recording.end, from: state, following: [NodePath()], asWholes: false, by: index)
            while try walk.next() != nil {}
            #expect(walk.lookupCount < 10 * patches.count, "\(random)")
        }
    }

    /// A change inside elements of a list, or one that inserts, removes or moves elements.
    private static func change(
        of state: Node,
        isQuiet: Bool,
        _ nextID: inout Int,
        _ random: inout Seeded
    ) throws -> Patch {
        guard case .array(let elements)? = state[list] else { return Patch([]) }
        if isQuiet {
            let index = random.below(elements.count)
            let path = NodePath(["list", String(index), "n", "0"])
            let old = try #require(state[path])
            return Patch([.replace(path: path, old: old, new: .int(random.below(1000)))])
        }
        nextID += 1
        let from = random.below(elements.count)
        let to = random.below(elements.count)
        let new: Node = random.once(in: 4) ? elements[from] : ["id": .int(nextID), "n": [0]]
        let remove = Patch.Operation.splice(path: list, at: from, remove: [elements[from]], insert: [])
        let insert = Patch.Operation.splice(path: list, at: to, remove: [], insert: [new])
        return Patch(new == elements[from] || random.once(in: 2) ? [remove, insert] : [insert])
    }

    @Test func `nothing at the path has no blame`() throws {
        let recording = try RandomRecording(seed: 1).open()
        #expect(try recording.blame(NodePath(["no", "such", "place"])) == nil)
    }

    // MARK: One patch

    private struct Move: CustomTestStringConvertible {
        var testDescription: String
        var operations: [Patch.Operation]
        /// Where each followed value was before; `nil` if the patch set it.
        var origins: [String: String?]

        init(_ name: String, _ operations: [Patch.Operation], _ origins: [String: String?]) {
            (testDescription, self.operations, self.origins) = (name, operations, origins)
        }
    }

    private static let list = NodePath(["list"])
    private static let other = NodePath(["other"])
    private static let before: Node = [
        "list": [["id": 1], ["id": 2], 3, 3, []], "other": [["id": 4], 3], "n": ["a": 1],
    ]

    private static let moves = [
        Move(
            "an insertion moves the elements behind it",
            [.splice(path: list, at: 1, remove: [], insert: [9])],
            [
                "/list/0/id": "/list/0/id", "/list/1": nil, "/list/2/id": "/list/1/id", "/list/5": "/list/4",
            ]
        ),
        Move(
            "a removal moves them back",
            [.splice(path: list, at: 0, remove: [["id": 1]], insert: [])],
            [
                "/list/0/id": "/list/1/id", "/list/3": "/list/4",
            ]
        ),
        Move(
            "an element that is removed and inserted again keeps its origin",
            [
                .splice(path: list, at: 0, remove: [["id": 1]], insert: []),
                .splice(path: list, at: 4, remove: [], insert: [["id": 1]]),
            ],
            ["/list/4/id": "/list/0/id", "/list/0/id": "/list/1/id", "/list/3": "/list/4"]
        ),
        Move(
            "the insertion may come first",
            [
                .splice(path: list, at: 0, remove: [], insert: [["id": 2]]),
                .splice(path: list, at: 2, remove: [["id": 2]], insert: []),
            ],
            ["/list/0/id": "/list/1/id", "/list/1/id": "/list/0/id", "/list/2": "/list/2"]
        ),
        Move(
            "one splice may rotate elements",
            [
                .splice(path: list, at: 0, remove: [["id": 1], ["id": 2], 3], insert: [3, ["id": 1], ["id": 2]])
            ],
            ["/list/0": "/list/2", "/list/1/id": "/list/0/id", "/list/2/id": "/list/1/id"]
        ),
        Move(
            "an object moves to another array",
            [
                .splice(path: list, at: 1, remove: [["id": 2]], insert: []),
                .splice(path: other, at: 0, remove: [], insert: [["id": 2]]),
            ],
            ["/other/0/id": "/list/1/id", "/other/1/id": "/other/0/id", "/list/1": "/list/2"]
        ),
        Move(
            "a single value does not",
            [
                .splice(path: list, at: 2, remove: [3], insert: []),
                .splice(path: other, at: 0, remove: [], insert: [3]),
            ],
            ["/other/0": nil, "/list/2": "/list/3"]
        ),
        Move(
            "of equal elements, the first inserted is the first removed",
            [
                .splice(path: list, at: 2, remove: [3, 3], insert: [3])
            ],
            ["/list/2": "/list/2", "/list/3": "/list/4"]
        ),
        Move(
            "a copy is new",
            [.splice(path: list, at: 5, remove: [], insert: [["id": 1]])],
            [
                "/list/5/id": nil, "/list/0/id": "/list/0/id",
            ]
        ),
        Move(
            "a moved element that changed before it moved",
            [
                .replace(path: NodePath(["list", "0", "id"]), old: 1, new: 7),
                .splice(path: list, at: 0, remove: [["id": 7]], insert: []),
                .splice(path: list, at: 4, remove: [], insert: [["id": 7]]),
            ],
            ["/list/4/id": nil, "/list/0/id": "/list/1/id"]
        ),
        Move(
            "elements that swap their contents swap places",
            [
                .replace(path: NodePath(["list", "0", "id"]), old: 1, new: 2),
                .replace(path: NodePath(["list", "1", "id"]), old: 2, new: 1),
            ],
            ["/list/0/id": "/list/1/id", "/list/1/id": "/list/0/id", "/list/2": "/list/2"]
        ),
        Move(
            "single values that are exchanged are set",
            [
                .replace(path: NodePath(["list", "2"]), old: 3, new: 5),
                .replace(path: NodePath(["list", "3"]), old: 3, new: 4),
            ],
            ["/list/2": nil, "/list/3": nil]
        ),
        Move(
            "a list that becomes empty is set",
            [
                .splice(path: other, at: 0, remove: [["id": 4], 3], insert: [])
            ],
            ["/other": nil]
        ),
        Move(
            "an array written as a whole keeps what stays",
            [
                .replace(path: other, old: [["id": 4], 3], new: [0, ["id": 4], 3])
            ],
            ["/other/0": nil, "/other/1/id": "/other/0/id", "/other/2": "/other/1"]
        ),
        Move(
            "the same value written again does not count",
            [
                .replace(path: NodePath(["n"]), old: ["a": 1], new: ["b": 2, "a": 1])
            ],
            ["/n/a": "/n/a", "/n/b": nil]
        ),
    ]

    @Test(arguments: moves) private func `places move as the elements of a patch do`(move: Move) throws {
        var after = Self.before
        try Patch(move.operations).apply(to: &after)
        for (path, origin) in move.origins {
            let place = try #require(NodePath(path))
            let tree = PlaceTree(of: after, following: [place], asWholes: false)
            #expect(tree.leaves.map(\.path) == [place])
            tree.undo(move.operations) { Self.before }
            let isSet = tree.changes.contains { if case .set = $0.change { true } else { false } }
            #expect(isSet == (origin == nil), "\(path)")
            #expect(tree.isEmpty == (origin == nil), "\(path)")
            if let origin, !tree.isEmpty { #expect(tree.path(ofLeaf: 0).description == origin, "\(path)") }
        }
        // All at once.
        let tree = PlaceTree(of: after, following: [NodePath()], asWholes: false)
        tree.undo(move.operations) { Self.before }
        let set = Set(tree.changes.map(\.leaf))
        for (number, leaf) in tree.leaves.enumerated() {
            guard let origin = move.origins[leaf.path.description] else { continue }
            #expect(set.contains(number) == (origin == nil), "\(leaf.path)")
            if let origin { #expect(tree.path(ofLeaf: number).description == origin, "\(leaf.path)") }
        }
    }
}

extension RandomRecording {
    /// Who made a change.
    func origin(of write: Write) -> ChangeOrigin {
        runs.contains(write.actions) ? .oneOf(write.actions) : .step(write.position)
    }
}
