import HindsightRecording
import HindsightTree

/// The actions of a recording that can be left out, and groups of them.
struct ExperimentMaterial {
    /// The position on whose state they run: that after ``fixed``. `nil` if it is not known.
    private(set) var base: Recording.Position?
    /// The last action that cannot run. It and all actions before it stay as they were.
    private(set) var fixed: FixedAction?
    private(set) var seqs: [Int] = []
    /// Those that changed nothing, those of each type, and those that changed the same members of the state.
    private(set) var groups: [[Int]] = []
    /// Those that changed a place, or something around or inside it.
    private(set) var writers: [Int] = []

    /// The most groups of a kind.
    private static let maxGroups = 32
    /// The most actions whose changes are read.
    private static let maxRead = 200_000

    /// Costs reading all actions, and their changes if they are asked for and there are at most 200,000 actions. Also
    /// decodes all actions in a child process.
    ///
    /// - Parameters:
    ///   - readsChanges: Whether to read the changes of actions, for ``groups``.
    ///   - place: The place for ``writers``, which needs the changes.
    ///   - isBounded: Whether the process's deadline ends the decoding. What does not decode is not known then.
    /// - Throws: ``Failure`` if the process cannot be started, or ends while the app's code decodes an action.
    init(
        of recording: Recording,
        upTo last: Int,
        readingChanges readsChanges: Bool,
        writersOf place: NodePath? = nil,
        isBounded: Bool = true,
        in process: ExperimentProcess
    ) throws {
        self = try Self(of: recording, upTo: last, reads: readsChanges, writersOf: place, undecodable: nil)
        guard let base, !seqs.isEmpty else { return }
        var undecodable: FixedAction?
        let task = DecodingTask(file: recording.url.relativePath, base: base, seqs: seqs)
        _ = try process.run(task, isBounded: isBounded) { (found: FixedAction?) in undecodable = found }
        guard let undecodable else { return }
        self = try Self(of: recording, upTo: last, reads: readsChanges, writersOf: place, undecodable: undecodable)
    }

    private init(
        of recording: Recording,
        upTo last: Int,
        reads readsChanges: Bool,
        writersOf place: NodePath?,
        undecodable: FixedAction?
    ) throws {
        var base = recording.start.seq
        var types: [String: [Int]] = [:]
        var members: [Set<String>: [Int]] = [:]
        let first = recording.start.seq + 1
        guard first <= last else {
            self.base = recording.start
            return
        }
        let reads = readsChanges && last - first < Self.maxRead
        var entries = try recording.entries(in: first...last, withSteps: reads)
        while let (action, steps) = try entries.next() {
            if action.replayable == nil || action.seq == undecodable?.seq {
                base = action.seq
                fixed = action.replayable == nil ? FixedAction(action) : undecodable
                (seqs, types, members, writers) = ([], [:], [:], [])
                continue
            }
            seqs.append(action.seq)
            types[action.type, default: []].append(action.seq)
            guard reads, recording.absence(ofChangesIn: action.seq) == nil else { continue }
            let paths = steps.compactMap(\.patch).flatMap(\.operations).map(\.path)
            // A change of the whole state has no first member.
            members[Set(paths.map { $0.components.first ?? "" }), default: []].append(action.seq)
            if let place, paths.contains(where: { $0.contains(place) || place.contains($0) }) {
                writers.append(action.seq)
            }
        }
        let position = Recording.Position(seq: base)
        self.base =
            recording.absence(at: position) == nil && recording.doubtfulStates(at: position) == nil ? position : nil
        func largest(_ groups: some Sequence<[Int]>) -> [[Int]] {
            Array(groups.sorted { ($0.count, $1[0]) > ($1.count, $0[0]) }.prefix(Self.maxGroups))
        }
        groups = [members.removeValue(forKey: []) ?? []] + largest(types.values) + largest(members.values)
    }

    /// The position on whose state the actions run.
    ///
    /// - Throws: ``Failure`` if that state is not known.
    func requireBase(of recording: Recording, _ tool: Tool) throws(Failure) -> Recording.Position {
        if let base { return base }
        let needed = fixed.map { "It would be the one after \(Quantities.grouped($0.seq)), since \($0.text)." }
        let problem = "\(tool.shown(recording)) has no recorded state before its last actions on which they could run."
        throw Failure(.doesNotFit, lines: [problem] + [needed].compactMap { $0 })
    }
}
