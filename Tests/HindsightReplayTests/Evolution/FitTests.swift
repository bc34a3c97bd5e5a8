import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

@Suite struct FitTests {
    private let scratch = try? Scratch()

    private func recorded() throws -> Recording { try #require(scratch).record(oldShop, shopSession) }

    private func app<S: Codable & Sendable, A: Codable & Sendable>(
        _ initial: S,
        _ action: A.Type,
        reducers: [String] = ["items", "count"]
    ) -> ReplayableApp {
        ReplayableApp("shop", initial: initial, reducer: .combine(reducers.map { Reducer<S, A>($0) { _, _ in } }))
    }

    @Test func `the app that recorded it fits, and payloads without labels are listed`() throws {
        let fit = try oldShop.fit(of: recorded())
        #expect(fit.verdict == .fits)
        #expect(fit.unlabelled == ["addItem"])
        #expect(fit.problems.isEmpty && fit.defaults.isEmpty && fit.unread.isEmpty && fit.migrations.isEmpty)
        #expect(fit.missingReducers.isEmpty && fit.additionalReducers.isEmpty && !fit.areReducersReordered)
    }

    @Test func `a recording that migrates fits, and no reducer runs`() throws {
        let calls = Counter()
        let app = ReplayableApp(
            "shop",
            initial: NewShop(),
            reducer: Reducer<NewShop, NewShopAction>("items") { _, _ in calls.increment() },
            migrations: [shopMigration]
        )
        let fit = try app.fit(of: recorded())
        #expect(fit.verdict == .fits)
        #expect(fit.migrations == [2])
        #expect((fit.recordedSchema, fit.schema) == (1, 2))
        #expect(fit.unlabelled == [])
        #expect(fit.missingReducers == ["count"])
        #expect(calls.count == 0)
    }

    @Test func `every action and field that does not fit is listed once, with the line that may help`() throws {
        let app = self.app(NewShop(), NewShopAction.self)
        let fit = try app.fit(of: recorded())
        #expect(fit.verdict == .doesNotFit)
        let problems = fit.problems.map {
            "\($0.action ?? "state") \($0.path.map { "\($0)" } ?? "-") \($0.migration ?? "-")"
        }
        #expect(problems.contains(#"state /user/name Migration(to: 2) { $0.renameField("/user/nmae", to: "name") }"#))
        #expect(
            problems.contains(
                #"rename /rename/name Migration(to: 2) { $0.renameField("/nmae", to: "name", in: "rename") }"#
            )
        )
        #expect(problems.contains { $0.hasPrefix("addItem - ") && $0.hasSuffix(#"or removeAction("addItem")"#) })
        #expect(problems.contains { $0.hasPrefix("ping - ") })
        #expect(Set(problems).count == problems.count)
        #expect(fit.problems.first { $0.action == "rename" }?.position == Recording.Position(seq: 4))
    }

    private enum Longer: Codable, Sendable {
        case addItem(Int)
        case addTwo(first: Int, second: String)
        case ping(times: Int)
        case rename(nmae: String)
    }

    @Test func `a value of another type and a new label have their own lines`() throws {
        let fit = try app(OldShop(), Longer.self).fit(of: recorded())
        #expect(
            fit.problems.map(\.migration) == [
                #"Migration(to: 2) { $0.addField("/times", default: …, in: "ping") }"#,
                #"Migration(to: 2) { $0.convertField("/second", in: "addTwo") { … } }"#,
            ]
        )
        #expect(fit.problems.map { $0.path.map { "\($0)" } } == ["/ping/times", "/addTwo/second"])
    }

    private struct Wider: Codable, Sendable {
        var user = OldShop.User()
        var items: [OldShop.Item] = []
        var theme = Theme()

        struct Theme: Codable, Sendable { var isDark = true }
    }

    private struct Nested: Codable, Sendable {
        var user = User()
        var count = 0

        struct User: Codable, Sendable {
            var nmae = ""
            var age = 7
        }
    }

    @Test func `missing fields get defaults, and others are unread`() throws {
        let fit = try app(Nested(), OldShopAction.self, reducers: ["count", "items", "extra"]).fit(of: recorded())
        #expect(fit.verdict == .fitsWithDefaults)
        #expect(fit.defaults == [Fit.Field(path: NodePath(["user", "age"]), value: 7)])
        #expect(fit.unread == [Fit.Field(path: NodePath(["items"]))])
        #expect(fit.additionalReducers == ["extra"])
        #expect(fit.areReducersReordered)
    }

    @Test func `a missing and an unread field in one object do not fit`() throws {
        let fit = try app(Wider(), OldShopAction.self).fit(of: recorded())
        #expect(fit.verdict == .doesNotFit)
        #expect(fit.problems.map(\.migration) == [#"Migration(to: 2) { $0.renameField("/count", to: "theme") }"#])
    }

    @Test func `another app and missing migrations are problems of the whole recording`() throws {
        let other = ReplayableApp("bank", initial: OldShop(), reducer: Reducer<OldShop, OldShopAction>("x") { _, _ in })
        #expect(
            try other.fit(of: recorded()).problems.map(\.reason) == [
                "the recording is of the app \"shop\", not of \"bank\""
            ]
        )
        #expect(
            try newShop([shopMigration], schema: 3).fit(of: recorded()).problems.map(\.reason)
                == ["it is of schema 1, this build's is 3, and there is no migration to 3"]
        )
    }
}
