import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery

/// The formats of `export`, read back by Python's own readers.
@Suite(.enabled(if: Python.has("csv"), "needs python3"))
struct ExportFormatTests {
    private let scratch = Scratch()

    static let names = [
        "todo", "checkout", "checkout-rules", "notepad", "todo-limits", "escapes", "bridged", "partial", "doubtful",
    ]

    private func recording(_ name: String) throws -> Recording {
        try Recording(at: Fixtures.recording(name))
    }

    private func text(
        of recording: Recording,
        _ format: ExportFormat,
        in range: ClosedRange<Int>? = nil
    ) throws -> String {
        var text = ""
        try recording.export(as: format, in: range) { text += $0 }
        #expect(!text.unicodeScalars.contains { $0.isUnsafeInFile }, "\(format)")
        return text
    }

    private func elements(_ node: Node?) throws -> [Node] {
        guard case .array(let elements)? = node else { throw TreeError(.badJSON, "expected an array") }
        return elements
    }

    private func string(_ node: Node?) throws -> String {
        guard case .string(let string)? = node else { throw TreeError(.badJSON, "expected a string") }
        return string
    }

    private func python(_ script: String, _ text: String) throws -> Node {
        try Node(json: try Python.run(script, input: text).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test(arguments: names)
    func `json is one array of the lines of jsonl`(name: String) throws {
        let recording = try recording(name)
        let script = "import json,sys; print(json.dumps([json.dumps(x) for x in json.load(open(sys.argv[1]))]))"
        let lines = try text(of: recording, .jsonl).split(separator: "\n")
        let array = try text(of: recording, .json)
        let ours = try lines.map { try Node(json: String($0)) }
        #expect(try Node(json: array) == .array(ours))
        let read = try elements(python(script, array))
        #expect(read.count == lines.count)
    }

    @Test(arguments: names)
    func `csv has a row an action`(name: String) throws {
        let recording = try recording(name)
        let script = """
            import csv, json, sys
            rows = list(csv.DictReader(open(sys.argv[1], newline=''), strict=True))
            assert all(None not in row and None not in row.values() for row in rows)
            print(json.dumps([[row[c] for c in ('seq', 'at_ns', 'type', 'payload', 'duration_ns', 'changes')] for row in rows]))
            """
        let text = try text(of: recording, .csv)
        #expect(text.hasPrefix(CSVExport.columns.joined(separator: ",") + "\r\n"))
        let rows = try python(script, text)
        var expected: [Node] = []
        var entries = try recording.entries(in: 1...max(1, recording.actionCount))
        while let (action, steps) = try entries.next() {
            let isKnown = recording.absence(ofChangesIn: action.seq) == nil
            let count = steps.reduce(0) { $0 + ($1.patch?.operations.count ?? 0) }
            let cells = [
                "\(action.seq)", "\(action.nanosecondsSinceEpoch)", escape(action.type),
                escape(action.payload?.json ?? ""), action.durationInNanoseconds.map { "\($0)" } ?? "",
                isKnown ? "\(count)" : "",
            ]
            expected.append(.array(cells.map(Node.string)))
        }
        #expect(rows == .array(expected))
    }

    @Test(arguments: names)
    func `a trace nests each reducer in its action, and its times are those of the recording`(name: String) throws {
        let recording = try recording(name)
        let script = """
            import json, sys
            from fractions import Fraction
            ns = lambda text: int(Fraction(text) * 1000)
            trace = json.load(open(sys.argv[1]), parse_float=str)
            events = trace['traceEvents']
            assert trace['displayTimeUnit'] == 'ns' and all({'name', 'ph', 'pid', 'tid'} <= e.keys() for e in events)
            names = {e['name']: e['args']['name'] for e in events if e['ph'] == 'M'}
            assert names['thread_name'] == 'dispatch', names
            actions, last = {}, 0
            for e in events:
                if e.get('cat') == 'action':
                    start = ns(e['ts'])
                    assert start >= last, e
                    last = start + ns(e.get('dur', '0'))
                    actions[e['args']['position']] = [start, last, start, 0, e['ph']]
                if e.get('cat') == 'reducer':
                    action = actions[e['args']['position'].split('.')[0]]
                    assert e['ph'] == 'X' and ns(e['ts']) == action[2], e
                    action[2] += ns(e['dur'])
                    action[3] += 1
                    assert action[2] <= action[1], e
            print(json.dumps([[k, a[1] - a[0], a[2] - a[0], a[3], a[4]] for k, a in actions.items()]))
            """
        let rows = try python(script, try text(of: recording, .perfetto))
        var expected: [Node] = []
        var entries = try recording.entries(in: 1...max(1, recording.actionCount))
        while let (action, steps) = try entries.next() {
            if action.isTravel { continue }
            let reducers = steps.filter { $0.reducer > 0 }
            let sum = reducers.reduce(0) { $0 + $1.durationInNanoseconds }
            let duration = action.durationInNanoseconds.map { max($0, sum) }
            expected.append(
                [
                    .string("\(action.seq)"), .int(Int(duration ?? 0)), .int(Int(sum)), .int(reducers.count),
                    duration == nil ? "B" : "X",
                ]
            )
        }
        #expect(rows == .array(expected), "\(rows.json)")
    }

    @Test(arguments: names)
    func `a file for Redux DevTools has the lifted state of all actions`(name: String) throws {
        let recording = try recording(name)
        let script = """
            import json, sys
            file = json.load(open(sys.argv[1]))
            assert file.keys() == {'payload', 'preloadedState'}
            lifted = json.loads(file['payload'])
            assert lifted.keys() == {'monitorState', 'nextActionId', 'actionsById', 'stagedActionIds', 'skippedActionIds',
                'committedState', 'currentStateIndex', 'computedStates', 'isLocked', 'isPaused'}
            count = len(lifted['stagedActionIds'])
            assert lifted['stagedActionIds'] == list(range(count)) and lifted['nextActionId'] == count
            assert lifted['currentStateIndex'] == count - 1 and len(lifted['computedStates']) == count
            assert lifted['actionsById'].keys() == {str(i) for i in range(count)}
            for action in lifted['actionsById'].values():
                assert action['type'] == 'PERFORM_ACTION' and isinstance(action['timestamp'], int)
                assert isinstance(action['action']['type'], str)
            assert lifted['actionsById']['0']['action'] == {'type': '@@INIT'}
            assert json.loads(file['preloadedState']) == lifted['committedState'] == lifted['computedStates'][0]['state']
            for state in lifted['computedStates']: assert state.get('error') is None or state['state'] is None
            print(json.dumps([lifted['actionsById'][str(i)]['action']['type'] for i in range(1, count)]))
            """
        let text = try text(of: recording, .reduxDevTools)
        let types = try python(script, text)
        let actions = try recording.actions(in: 1...max(1, recording.actionCount))
        #expect(types == .array(actions.map { .string($0.fullType) }))

        // The states, exactly.
        let payload = try string(Node(json: text)["payload"])
        let states = try elements(Node(json: payload)["computedStates"])
        for (offset, state) in states.enumerated() {
            let position = Recording.Position(seq: recording.start.seq + offset)
            if recording.absence(at: position) == nil {
                #expect(try state["state"] == recording.state(at: position), "\(position)")
            } else {
                #expect(state["error"] != nil && state["state"] == .null, "\(position)")
            }
        }
    }

    @Test func `a range has its actions only`() throws {
        let recording = try recording("checkout")
        #expect(recording.exportedActions(as: .csv, in: 5...7) == 5...7)
        #expect(recording.exportedActions(as: .csv, in: 60...900) == 60...66)
        #expect(recording.exportedActions(as: .csv, in: 100...200) == nil)
        #expect(try text(of: recording, .csv, in: 5...7).split(separator: "\r\n").count == 4)
        let trace = try Node(json: try text(of: recording, .perfetto, in: 5...7))
        let events = try elements(trace["traceEvents"])
        #expect(events.count { $0["cat"] == "action" } == 3)
        let lifted = try Node(json: try text(of: recording, .reduxDevTools, in: 5...7))
        let before = try string(lifted["preloadedState"])
        #expect(try Node(json: before) == recording.state(at: Recording.Position(seq: 4)))
        let empty = try Node(json: try text(of: recording, .reduxDevTools, in: 100...200))
        let payload = try string(empty["payload"])
        #expect(try Node(json: payload)["nextActionId"] == 1)
    }

    @Test func `each thread has a track in a trace, and is a column of questions`() throws {
        let threads = [
            #"{"number":1}"#, #"{"number":3,"name":"sync","task":"refresh"}"#, #"{"number":1,"task":"x"}"#,
            #"{"number":3}"#, nil,
        ]
        var lines = [
            #"{"hindsight":"recording","text":1,"app":"x","version":"1","platform":"x","created":1,"facts":{"closed":9},"reducers":["r"],"state":{"a":0}}"#
        ]
        for (index, thread) in threads.enumerated() {
            let member = thread.map { #""thread":\#($0),"# } ?? ""
            lines.append(
                #"{"action":"b","payload":{"b":{}},\#(member)"at":\#(5 + index),"duration":50,"times":[50]}"#
            )
        }
        lines.append(#"{"end":true}"#)
        let recording = try scratch.recording(ofLines: lines)
        let script = """
            import json, sys
            events = json.load(open(sys.argv[1]))['traceEvents']
            names = {e['tid']: e['args']['name'] for e in events if e['name'] == 'thread_name'}
            actions = [e for e in events if e.get('cat') == 'action']
            reducers = [e for e in events if e.get('cat') == 'reducer']
            assert [e['tid'] for e in actions] == [e['tid'] for e in reducers]
            last = {}
            for e in actions:
                assert e['ts'] >= last.get(e['tid'], 0) - 1e-6, e
                last[e['tid']] = e['ts'] + e['dur']
            print(json.dumps([[names[e['tid']], e['args'].get('task')] for e in actions]))
            """
        let expected: Node = [
            ["main thread", .null], ["thread 3 sync", "refresh"], ["main thread", "x"], ["thread 3 sync", .null],
            ["dispatch", .null],
        ]
        #expect(try python(script, try text(of: recording, .perfetto)) == expected)

        let query = try RecordingQuery("SELECT seq, thread, task FROM history ORDER BY seq", of: recording)
        var rows: [[RecordingQuery.Value]] = []
        while let row = try query.next() { rows.append(Array(row.dropFirst())) }
        let values: [[RecordingQuery.Value]] = [
            [.integer(1), .null], [.integer(3), .text("refresh")], [.integer(1), .text("x")], [.integer(3), .null],
            [.null, .null],
        ]
        #expect(rows == values)
        let asked: [(String, [Int])] = [
            ("thread = 1", [1, 3]), ("thread > 1", [2, 4]), ("task = 'refresh'", [2]), ("thread IS NULL", [5]),
        ]
        for (text, found) in asked {
            let expression = try RecordingExpression(text)
            let evaluator = try ExpressionEvaluator(of: recording, where: expression)
            let scan = try ExpressionScan(of: recording, where: expression, by: .action)
            var scanned: [Int] = []
            while let stretch = try scan.next() {
                if stretch.truth == .yes { scanned += stretch.first.seq...stretch.last.seq }
            }
            let evaluated = try (1...5).filter { try evaluator.truth(at: Recording.Position(seq: $0)) == .yes }
            #expect(evaluated == found && scanned.filter { $0 > 0 } == found, "\(text): \(scanned)")
        }
    }

    @Test(arguments: names)
    func `threads that are not known are null`(name: String) throws {
        let recording = try recording(name)
        let query = try RecordingQuery("SELECT count(*), count(thread), count(task) FROM history", of: recording)
        let row = try #require(try query.next())
        #expect(row[0] != .integer(0) && row[1] == .integer(0) && row[2] == .integer(0))
    }

    @Test(arguments: [
        ("=1", "'=1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "\"'\rx\""),
        ("@travel", "@travel"), ("x=1", "x=1"), ("", ""), ("a\rb", "\"a\rb\""), ("a\nb", "\"a\nb\""),
        ("a,b", "\"a,b\""),
        ("a\"b", "\"a\"\"b\""), ("a b", "a b"),
    ])
    func `a field of csv has quotes if it needs them, and is no formula`(text: String, field: String) {
        // By bytes: \r\n would be one character.
        #expect(CSVText.field(text: text).utf8.elementsEqual(field.utf8), "\(field)")
    }

    @Test func `a text that begins like a formula is marked, and a reserved key is escaped`() throws {
        let lines = [
            #"{"hindsight":"recording","text":1,"app":"x","version":"1","platform":"x","created":1,"facts":{"closed":9},"reducers":["=r"],"state":{"$jsan":"d1","a":"$jsan"}}"#,
            #"{"action":"=1+1","payload":{"=1+1":{"a":"x,\"y\""}},"changes":{"=r":[{"op":"replace","path":"/a","old":"$jsan","value":"b"}]},"at":5,"duration":2,"times":[2]}"#,
            #"{"end":true}"#,
        ]
        let recording = try scratch.recording(ofLines: lines)
        let row = try text(of: recording, .csv).split(separator: "\r\n").last ?? ""
        #expect(
            row
                == #"1,1970-01-01T00:00:00.000000005Z,5,'=1+1,"{""=1+1"":{""a"":""x,\""y\""""}}",2,,,,1,"[""=r""]","[""/a""]""#,
            "\(row)"
        )
        let file = try text(of: recording, .reduxDevTools)
        #expect(!file.contains(#""$jsan""#) && !file.contains(#"\"$jsan\""#), "\(file)")
        let payload = try string(Node(json: file)["payload"])
        #expect(!payload.contains(#""$jsan""#))
        #expect(try Node(json: payload)["committedState"] == recording.state(at: recording.start))
    }
}

extension Unicode.Scalar {
    /// Whether a terminal interprets the scalar, unless it ends a line.
    fileprivate var isUnsafeInFile: Bool { self != "\n" && self != "\r" && isUnsafe }
}
