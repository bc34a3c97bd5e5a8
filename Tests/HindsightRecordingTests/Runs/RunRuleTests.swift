import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Names and retention of runs, without files") struct RunRuleTests {
    /// 2026-11-20 18:54:32.9 UTC.
    private let names = RunName(
        app: AppInfo(name: "my/app", version: "1.4 β"),
        now: 1_795_200_872_900_000_000,
        process: 77
    )

    @Test(
        "A pattern's placeholders are replaced, and no name leads to another directory",
        arguments: [
            ("{app}_{date}_{time}", 1, "my-app_2026-11-20_18-54-32.hindsight"),
            ("{app}_{date}_{time}", 2, "my-app_2026-11-20_18-54-32-2.hindsight"),
            ("run {pid} of {version}.hindsight", 12, "run 77 of 1.4 β-12.hindsight"),
            ("..", 1, "run...hindsight"), ("", 1, "run.hindsight"), (".hindsight", 3, "run-3.hindsight"),
            ("../a\\b:c\n}", 1, "run..-a-b-c-}.hindsight"),
            (String(repeating: "é", count: 300), 1, String(repeating: "é", count: 100) + ".hindsight"),
        ]
    )
    func filled(pattern: String, number: Int, expected: String) throws {
        #expect(try names.name(by: pattern, number: number) == expected)
    }

    @Test(
        "An unknown placeholder throws an error that lists the known ones",
        arguments: ["{name}", "{app", "{}", "{{app}}"]
    )
    func unknown(pattern: String) throws {
        let error = expectError(.badRunName) { try names.name(by: pattern, number: 1) }
        #expect(error?.description.contains("{app}, {date}, {pid}, {time}, {version}") == true)
    }

    @Test(
        "The oldest runs are deleted, but never a live one",
        arguments: [
            (Retention.all, 0, []), (.runs(1), 0, [1, 2, 4, 5]), (.runs(3), 0, [1, 2]), (.runs(4), 0, [1, 2]),
            (.runs(5), 0, [1]), (.runs(6), 0, []),
            (Retention(bytes: 50), 0, []), (Retention(bytes: 49), 0, [1]), (Retention(bytes: 50), 11, [1, 2]),
            (Retention(bytes: 0), 0, [1, 2, 4, 5]),
            (Retention(age: .nanoseconds(95)), 0, [1]), (Retention(age: .nanoseconds(0)), 0, [1, 2, 4, 5]),
            (Retention(runs: 5, bytes: 30, age: .seconds(9)), 0, [1, 2]),
        ] as [(Retention, Int64, [Int64])]
    )
    func expired(retention: Retention, present: Int64, expected: [Int64]) {
        // Ten bytes each; the third is live.
        let runs = [4, 1, 3, 5, 2].map { (number: Int64) in
            Retention.Run(path: "\(number)", created: number, ended: number + 3, bytes: 10, isLive: number == 3)
        }
        #expect(retention.expired(of: runs, present: present, now: 100).map(\.created) == expected)
    }

    @Test("Counting runs of the greatest size and age does not overflow")
    func extremes() {
        let runs = [Int64.min, 0, .max].map {
            Retention.Run(path: "", created: $0, ended: $0, bytes: .max, isLive: false)
        }
        #expect(
            Retention(runs: 9, bytes: .max, age: .seconds(Int64.max)).expired(of: runs, present: 1, now: 0).count <= 3
        )
    }
}
