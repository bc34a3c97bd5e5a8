import Foundation
import Testing

/// `verify` of many recordings, over several processes.
@Suite struct JobsTests {
    /// Twenty recordings, `00` to `19`: those whose number is divisible by five have an action in which `COUNTER` acts.
    private static let supplies = Supplies { workshop in
        try FileManager.default.createDirectory(at: workshop.url("all"), withIntermediateDirectories: true)
        let lines = (0..<20).map { index in
            let amounts = index % 5 == 0 ? [3, 7, 5] : [3, 4, index + 20]
            let actions = amounts.map { #"{"add":{"amount":\#($0)}}"# }.joined(separator: "\n")
            let name = index < 10 ? "0\(index)" : "\(index)"
            return "echo '\(actions)' | CounterTool record --app counter all/\(name).hindsight"
        }
        let made = try workshop.shell(lines.joined(separator: " && ") + " 2>/dev/null")
        try #require(made.code == 0, "\(made.errors)")
    }

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    private static let files = "all/*.hindsight"

    @Test(arguments: ["", "doubling"], ["", "--json", "--isolated"])
    func `any number of jobs prints the same in the order of the files`(variant: String, option: String) throws {
        let tool = "COUNTER=\(variant) CounterTool verify \(option)"
        let one = try workshop.shell("\(tool) \(Self.files)")
        #expect(one.code == (variant.isEmpty ? 0 : 1))
        for jobs in ["1", "2", "7", "auto"] {
            let result = try workshop.shell("\(tool) --jobs \(jobs) \(Self.files)")
            #expect(result.text == one.text, "\(jobs) jobs: \(result.errors)")
            #expect(result.code == one.code)
            #expect(result.errors == one.errors)
        }
    }

    /// What reducers do to their process, the exit code, and words of the report.
    @Test(arguments: [
        ("trapping", Int32(5), "Fatal error: seven"), ("leaving", 5, "It called exit(0)"), ("killed", 3, "SIGKILL"),
        ("closing all", 5, "closed its connection"), ("leaving on a thread", 5, "It called exit(0)"),
        ("spinning", 5, "did not return within 1 s"), ("stuck", 5, "did not return within 1 s"),
    ])
    func `a child that ends costs only the file that ended it`(variant: String, code: Int32, words: String) throws {
        // Only what does not end needs a limit, in which a busy machine must run the actions of the other files.
        let limit = ["spinning", "stuck"].contains(variant) ? "--timeout 1" : ""
        let result = try workshop.shell("COUNTER='\(variant)' CounterTool verify \(limit) -j 2 \(Self.files)")
        #expect(result.code == code, "\(result.text)\(result.errors)")
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == 16 && lines.allSatisfy { $0.hasPrefix("equal") }, "\(result.text)")
        let errors = result.errors.split(separator: "\n").filter { $0.hasPrefix("error:") }
        #expect(errors.count == 4, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    @Test func `a child that runs out of memory costs only the file that takes it`() throws {
        let line = "COUNTER=leaking CounterTool verify --timeout 20 -j 2 \(Self.files)"
        let result = try workshop.shell("ulimit -v 8000000; \(line)").expecting(code: 5)
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == 16 && lines.allSatisfy { $0.hasPrefix("equal") }, "\(result.text)")
        #expect(result.errors.contains("in action 2, reducer 2 of 3 (totals.sum)"), "\(result.errors)")
    }

    @Test func `what reducers print goes to the error stream, escaped`() throws {
        let result = try workshop.shell("COUNTER=talking CounterTool verify --json -j 2 \(Self.files)")
        #expect(result.code == 0, "\(result.errors)")
        for line in 0..<20 { #expect(try result.json(line: line)["equal"] as? Bool == true) }
        #expect(result.errors.contains("\\u{1B}[31mreduced 3") || result.errors.contains("reduced 3"))
        #expect(!result.errors.contains("\u{1B}"), "\(result.errors)")
    }

    @Test(arguments: ["forking", "forking for long", "crashing at exit", "silent at the end"])
    func `processes that a child leaves behind keep the tool neither waiting nor wrong`(variant: String) throws {
        let start = ContinuousClock.now
        // What is left behind keeps the tool's own output open.
        let line = "COUNTER='\(variant)' CounterTool verify -j 2 \(Self.files) >out 2>errors"
        let result = try workshop.shell("\(line); code=$?; cat out; cat errors >&2; exit $code").expecting(code: 0)
        #expect(result.text.split(separator: "\n").count == 20, "\(result.text)")
        #expect(ContinuousClock.now - start < .seconds(90))
    }

    @Test(.enabled(if: Workshop.succeeds("command -v pgrep")))
    func `a signal ends the tool and its children`() throws {
        let result = try workshop.shell(
            """
            COUNTER=stuck CounterTool verify -j 2 \(Self.files) & tool=$!
            for i in $(seq 2400); do [ "$(pgrep -P $tool | wc -l)" -eq 2 ] && break; sleep 0.05; done
            children=$(pgrep -P $tool | tr '\\n' ' '); sleep 0.5; kill -TERM $tool; wait $tool; echo "code $?"
            for child in $children; do echo "child"; kill -0 $child 2>/dev/null && echo "left $child"; done; true
            """
        )
        #expect(result.text.contains("code 143"), "\(result.text)\(result.errors)")
        #expect(result.text.contains("child"), "\(result.text)")
        #expect(!result.text.contains("left"), "\(result.text)")
    }

    @Test func `a long recording is split, and its result is that of one job`() throws {
        // From 10,000 actions on, a recording is split.
        let lines = (1...10_100).map { #"{"add":{"amount":\#($0 == 7_500 ? 7 : $0 % 7)}}"# }
        try workshop.write(lines.joined(separator: "\n"), to: "long.jsonl")
        let made = try workshop.shell("CounterTool record --app counter --input long.jsonl long.hindsight")
        try #require(made.code == 0, "\(made.errors)")
        let cases = [
            ("", "--json --up-to 10050"), ("doubling", "--isolated"), ("doubling", "--chained --json"),
            ("trapping", ""), ("spinning", "--timeout 1"),
        ]
        for (variant, option) in cases {
            let tool = "COUNTER=\(variant) CounterTool verify \(option)"
            let one = try workshop.shell("\(tool) long.hindsight")
            let two = try workshop.shell("\(tool) --jobs 2 long.hindsight")
            #expect(one.code == two.code, "\(variant) \(option): \(two.errors)")
            #expect(one.text == two.text, "\(variant) \(option)")
            if variant == "spinning" {
                #expect(two.errors.contains("in action 7,500, reducer 2 of 3 (totals.sum)"), "\(two.errors)")
            } else {
                // A slow machine also says how long a replay runs.
                let errors = [one, two].map { finished in
                    finished.errors.split(separator: "\n").filter { !$0.hasPrefix("Running for ") }
                }
                #expect(errors[0] == errors[1], "\(variant) \(option)")
            }
        }
        let talk = "COUNTER=talking CounterTool verify --up-to 10001 long.hindsight"
        let (one, two) = (try workshop.shell(talk), try workshop.shell("\(talk) -j 2"))
        #expect(one.errors == two.errors && one.errors.split(separator: "\n").count == 10_001)
    }

    @Test func `the shards have each recording once, and say how many they took`() throws {
        var files: [String] = []
        for shard in 1...3 {
            let result = try workshop.shell("CounterTool verify --json --shard \(shard)/3 all").expecting(code: 0)
            let lines = result.text.split(separator: "\n").count
            #expect(result.errors.hasPrefix("Shard \(shard) of 3: \(lines) of 20 recordings, "), "\(result.errors)")
            files += try (0..<lines).map { try #require(try result.json(line: $0)["file"] as? String) }
        }
        #expect(files.count == 20 && Set(files).count == 20)
        #expect(try workshop.shell("CounterTool verify --shard 4/3 all").code == 2)
    }

    @Test(.enabled(if: Workshop.succeeds("command -v python3")))
    func `the reports of shards have each recording once, for Python too`() throws {
        for shard in 1...2 {
            let line = "--shard \(shard)/2 --report json:r/\(shard).jsonl --report junit:r/\(shard).xml all all/none"
            _ = try workshop.shell("COUNTER=doubling CounterTool verify -j 2 \(line)")
        }
        let script = """
            import json, xml.etree.ElementTree as E
            shards = [E.parse(f'r/{i}.xml').getroot() for i in (1, 2)]
            cases = [c for s in shards for c in s.iter('testcase')]
            print(*(sum(int(s.get(k)) for s in shards) for k in ('tests', 'failures', 'errors')))
            print(len(cases), len(set(c.get('name') for c in cases)))
            f = [c.find('failure') for c in cases if c.find('failure') is not None]
            print(len(f), f[0].get('message'), 'recorded 10' in f[0].text)
            lines = [json.loads(line) for i in (1, 2) for line in open(f'r/{i}.jsonl')]
            verdicts = [line['verdict'] for line in lines]
            print(*(verdicts.count(v) for v in ('equal', 'diverged', 'failed')), max(line['exit'] for line in lines))
            """
        try workshop.write(script, to: "read.py")
        let read = try workshop.shell("python3 read.py")
        let expected = """
            21 4 1
            21 21
            4 diverged at action 2 (add), reducer totals.sum, path /totals/sum True
            16 4 1 3

            """
        #expect(read.text == expected, "\(read.errors)")
    }
}
