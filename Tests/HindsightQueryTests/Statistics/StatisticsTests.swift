import Foundation
import HindsightRecording
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct StatisticsTests {
    /// Counts the rows of a closed recording with Python's `sqlite3` and `json`.
    private static let oracle = #"""
        import collections, json, math, re, sqlite3, sys
        db = sqlite3.connect('file:' + open(sys.argv[1]).read() + '?mode=ro&immutable=1', uri=True)
        names = dict(db.execute('SELECT id, text FROM name'))
        reducers = [name for _, name in db.execute('SELECT id, name FROM reducer WHERE id > 0 ORDER BY id')]
        start = db.execute('SELECT min(seq) FROM keyframe').fetchone()[0]

        def rounded(ns):
            shift = max(0, ns.bit_length() - 11)
            return ns >> shift << shift

        def durations(values):
            values = sorted(values)
            rank = lambda part: rounded(values[max(1, math.ceil(part * len(values))) - 1]) if values else None
            return {'count': len(values), 'total': sum(values), 'median': rank(0.5), 'p99': rank(0.99),
                    'longest': max(values, default=None)}

        def size(operations):
            # A fraction is a string with a mark of three bytes, so that it keeps its digits.
            texts = [json.dumps(o, ensure_ascii=False, separators=(',', ':')) for o in operations]
            # Recordings have six bytes for a character that could control a terminal.
            texts = [re.sub('[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]', '\\\\u0000', text) for text in texts]
            return sum(len(text.encode()) - 5 * text.count('\ue000') for text in texts)

        types = collections.defaultdict(lambda: {'times': [], 'count': 0, 'known': 0, 'changing': 0, 'bytes': 0, 'payload': 0})
        runs = [{'times': [], 'changing': 0, 'operations': 0, 'bytes': 0} for _ in reducers]
        paths = collections.defaultdict(lambda: {'operations': 0, 'reducers': set()})
        for type, payload, duration, steps in db.execute(
                'SELECT type, payload, duration, steps FROM action WHERE seq > ?', (start,)):
            one = types[names.get(type, type)]
            one['count'] += 1
            one['payload'] += len((payload or '').encode())
            if duration is not None: one['times'].append(duration)
            if steps is None: continue
            one['known'] += 1
            changed = 0
            for index, entry in enumerate(json.loads(steps, parse_float=lambda text: '\ue000' + text)):
                time, operations = (entry, []) if not isinstance(entry, list) else (entry[0], entry[1:])
                changed += len(operations)
                for operation in operations:
                    path = re.sub(r'(?<=/)[0-9]+(?=/|$)', '*', operation[0][1:])
                    paths[path]['operations'] += 1
                    paths[path]['reducers'].add(0 if time is None else index + 1)
                one['bytes'] += size(operations)
                if time is None: continue
                runs[index]['times'].append(time)
                runs[index]['changing'] += bool(operations)
                runs[index]['operations'] += len(operations)
                runs[index]['bytes'] += size(operations)
            one['changing'] += bool(changed)
        print(json.dumps({
            'types': {name: {'count': t['count'], 'durations': durations(t['times']), 'payloadBytes': t['payload'],
                'known': t['known'], 'changing': t['changing'], 'changeBytes': t['bytes']} for name, t in types.items()},
            'reducers': [{'durations': durations(r['times']), 'changing': r['changing'],
                'operations': r['operations'], 'changeBytes': r['bytes']} for r in runs],
            'paths': {path: [p['operations'], *sorted(p['reducers'])] for path, p in paths.items()},
        }, ensure_ascii=False))
        """#

    private func node(of durations: Durations) -> Node {
        [
            "count": .int(durations.count), "total": .int(Int(durations.total)),
            "median": durations.median.map { .int(Int($0)) } ?? .null,
            "p99": durations.p99.map { .int(Int($0)) } ?? .null,
            "longest": durations.longest.map { .int(Int($0)) } ?? .null,
        ]
    }

    private func sorted(_ members: [Node.Member]) -> Node {
        .object(members.sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) })
    }

    @Test(
        .enabled(if: Python.has("sqlite3"), "needs python3"),
        arguments: ["todo", "checkout", "checkout-rules", "notepad"]
    )
    func `counts, times and sizes are those that Python finds`(name: String) throws {
        let file = Fixtures.recording(name)
        let statistics = try Recording(at: file).statistics()
        let theirs = try Node(
            json: Python.run(Self.oracle, input: file.path).trimmingCharacters(in: .whitespacesAndNewlines)
        )
        let types = statistics.types.map { type in
            Node.Member(
                type.type,
                [
                    "count": .int(type.count), "durations": node(of: type.durations),
                    "payloadBytes": .int(type.payloadBytes), "known": .int(type.known),
                    "changing": .int(type.changing), "changeBytes": .int(type.changeBytes),
                ]
            )
        }
        #expect(
            sorted(types).isEquivalent(to: theirs["types"] ?? .null),
            "\(sorted(types).json)\n\(theirs["types"]?.json ?? "")"
        )
        let reducers = statistics.reducers.map { reducer -> Node in
            [
                "durations": node(of: reducer.durations), "changing": .int(reducer.changing),
                "operations": .int(reducer.operations), "changeBytes": .int(reducer.changeBytes),
            ]
        }
        #expect(Node.array(reducers).isEquivalent(to: theirs["reducers"] ?? .null))
        let paths = statistics.paths.map { path in
            Node.Member(path.path, .array([.int(path.operations)] + path.reducers.map(Node.int)))
        }
        #expect(sorted(paths).isEquivalent(to: theirs["paths"] ?? .null), "\(sorted(paths).json)")
        #expect(statistics.paths.map(\.operations) == statistics.paths.map(\.operations).sorted(by: >))
        #expect(statistics.actions == statistics.types.reduce(0) { $0 + $1.count })
        #expect(statistics.durations.count == statistics.actions - statistics.unfinished)
    }

    @Test(arguments: RandomRecording.seeds(8))
    func `random recordings give the counts of their changes`(random: Seeded) throws {
        let random = try RandomRecording(seed: random.seed, actions: 60)
        let recording = try random.open()
        let statistics = try recording.statistics()
        #expect(statistics.actions == random.last - random.start, "\(random.description)")
        let bridged = random.writes.filter { $0.patch != nil && random.runs.contains($0.actions) }
        #expect(statistics.bridged == bridged.reduce(0) { $0 + $1.actions.count }, "\(random.description)")
        let unknown = random.writes.filter { $0.patch == nil }.reduce(0) { $0 + $1.actions.count }
        #expect(statistics.unknown == unknown + random.last - random.lastKnown, "\(random.description)")
        // What a run of actions changed together is no time travel.
        if statistics.travels == 0 { #expect(!statistics.paths.contains { $0.reducers.contains(0) }) }
        for (index, reducer) in statistics.reducers.enumerated() {
            let writes = random.writes.filter { $0.reducer == index + 1 }
            #expect(reducer.changing == writes.count, "\(random.description)")
            let operations = writes.reduce(0) { $0 + ($1.patch?.operations.count ?? 0) }
            #expect(reducer.operations == operations, "\(random.description)")
        }
        let all = random.writes.reduce(0) { $0 + ($1.patch?.operations.count ?? 0) }
        #expect(statistics.paths.reduce(statistics.otherOperations) { $0 + $1.operations } == all)
        // The sizes are those of states at their positions, the last one included.
        for size in statistics.sizes {
            #expect(try size.bytes == recording.state(at: size.position).json.utf8.count, "\(random.description)")
        }
        #expect(statistics.sizes.first?.position == recording.start)
        #expect(statistics.sizes.last?.position == recording.end, "\(random.description)")
        for growth in statistics.growth {
            #expect(growth.growth > 0 && growth.counts.count == statistics.sizes.count)
        }
        let items = statistics.growth.first { $0.path == "/items" && $0.unit == .elements }
        let counts = try statistics.sizes.map { size -> Int in
            if case .array(let items)? = try recording.state(at: size.position)["items"] { items.count } else { 0 }
        }
        if let items { #expect(items.counts == counts, "\(random.description)") }
        #expect((items != nil) == (counts.last ?? 0 > counts.first ?? 0), "\(random.description)")
    }

    @Test func `a text that becomes long has its length before, too`() throws {
        let scratch = Scratch()
        let (short, more) = (String(repeating: "x", count: 255), String(repeating: "y", count: 100))
        let patch = Patch([
            .edit(path: NodePath(["text"]), at: 255, remove: "", insert: .string(more)),
            .replace(path: NodePath(["name"]), old: "a", new: "ab"),
        ])
        let recording = try scratch.recording(of: [patch], after: ["text": .string(short), "name": "a"])
        let growth = try recording.statistics().growth
        #expect(growth.map(\.path) == ["/text"])
        #expect(growth.first?.counts == [255, 355])
    }

    @Test func `a range counts its actions only`() throws {
        let random = try RandomRecording(seed: 11, actions: 40, isWhole: true)
        let recording = try random.open()
        let statistics = try recording.statistics(in: 11...20)
        #expect(statistics.actions == 10)
        let writes = random.writes.filter { 11...20 ~= $0.actions.upperBound }
        let operations = writes.reduce(0) { $0 + ($1.patch?.operations.count ?? 0) }
        #expect(statistics.paths.reduce(0) { $0 + $1.operations } == operations)
        #expect(statistics.sizes.first?.position == Recording.Position(seq: 10))
        #expect(statistics.sizes.last?.position == Recording.Position(seq: 20))
        #expect(try recording.statistics(in: 50...60).actions == 0)
    }

    @Test func `quantiles are the nearest ranks, rounded to eleven bits`() {
        var random = Seeded(seed: 5)
        for number in [1, 2, 3, 99, 100, 101, 1000] {
            let values = (0..<number).map { _ in Int64(random.below(1 << (1 + random.below(40)))) }
            var count = DurationCount()
            for value in values { count.add(value) }
            let durations = count.durations
            let sorted = values.sorted()
            for part in [0.5, 0.99, 1] {
                let exact = sorted[max(1, Int((part * Double(number)).rounded(.up))) - 1]
                let found = count.quantile(part) ?? -1
                #expect(found <= exact && Double(exact - found) <= Double(exact) / 1024)
                if exact < 2048 { #expect(found == exact) }
            }
            #expect(durations.total == values.reduce(0, +) && durations.longest == sorted.last)
            let bins = durations.histogram
            #expect(bins.reduce(0) { $0 + $1.count } == number && bins.first?.count != 0 && bins.last?.count != 0)
            for bin in bins { #expect(bin.count == values.count { bin.from <= $0 && $0 < bin.to }) }
            for (left, right) in zip(bins, bins.dropFirst()) {
                #expect(left.to == right.from)
            }
        }
        #expect(DurationCount().durations == Durations())
    }

    @Test(arguments: [
        "", "[", "[1", "[1,", "[[1,[\"r/a\",1,2]", "[[1,[\"r/a\",1,2]]", "{}", "[\"x\"]", "[[1,[]]]", "[[1,2]]",
        "[1] 2", "[,1]",
        "[[1,[\"\",1,2]]]", "[99999999999999999999]",
    ])
    func `text that is no list of steps is refused`(text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: TreeError.self) {
            try bytes.withUnsafeBufferPointer { bytes in
                try TimedPatches.scan(bytes, { _ in }, end: { _ = try $0.nanoseconds() })
            }
        }
    }

    @Test(arguments: RandomRecording.seeds(20))
    func `the scanner sees what the parser reads`(random: Seeded) throws {
        let random = try RandomRecording(seed: random.seed, actions: 10)
        let cursor = try ActionCursor(of: random.open(), reading: [.steps])
        try cursor.forEach(in: 1...100) { _ in
            let parsed = try cursor.timedPatches()
            var (paths, durations, counts): ([String], [Int64?], [Int]) = ([], [], [])
            try cursor.withSteps { text in
                try TimedPatches.scan(text) { operation in
                    let path = "\"" + String(decoding: operation.path, as: UTF8.self) + "\""
                    if case .string(let path)? = try? Node(json: path) { paths.append(path) }
                } end: { entry in
                    durations.append(try entry.nanoseconds())
                    counts.append(entry.operations)
                }
            }
            #expect(durations == parsed.map(\.duration), "\(random.description)")
            #expect(counts == parsed.map(\.patch.operations.count), "\(random.description)")
            let all = parsed.flatMap { $0.patch.operations.map(\.path.description) }
            #expect(paths.map { Array($0.utf8) } == all.map { Array($0.utf8) }, "\(random.description)")
        }
    }
}
