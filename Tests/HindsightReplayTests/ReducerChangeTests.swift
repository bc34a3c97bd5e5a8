import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

/// Recordings of an app whose reducers have changed since, with the same effect.
@Suite struct ReducerChangeTests {
    struct Shop: Codable, Sendable {
        var prices: [Int] = []
        var total = 0
        var tax = 0
        var log: [String] = []
    }

    enum ShopAction: Codable, Sendable {
        case add(price: Int)
        case clear
    }

    typealias ShopReducer = Reducer<Shop, ShopAction>

    static func change(_ shop: inout Shop, _ action: ShopAction) {
        switch action {
        case .add(let price): shop.prices.append(price)
        case .clear: shop.prices = []
        }
    }
    static func addUp(_ shop: inout Shop, _ action: ShopAction) { shop.total = shop.prices.reduce(0, +) }
    static func addTax(_ shop: inout Shop, _ action: ShopAction) { shop.tax = shop.total / 5 }
    static func log(_ shop: inout Shop, _ action: ShopAction) {
        switch action {
        case .add(let price): shop.log.append("added \(price)")
        case .clear: shop.log.append("cleared")
        }
    }

    static let items = ShopReducer("items") { change(&$0, $1) }
    static let totals = ShopReducer("totals") { shop, action in
        addUp(&shop, action)
        addTax(&shop, action)
    }
    static let logging = ShopReducer("log") { log(&$0, $1) }

    static func app(_ reducers: ShopReducer...) -> ReplayableApp {
        ReplayableApp("shop", initial: Shop(), reducer: .combine(reducers))
    }

    static let session: [Node] =
        (1...12).map { $0.isMultiple(of: 5) ? ["clear": [:]] : ["add": ["price": .int($0 * 10)]] }

    struct Version: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let app: ReplayableApp
        var added: [String] = []
        var removed: [String] = []
        var renamed: [String] = []
        var isReordered = false
        var level = VerificationOptions.Level.states
    }

    static let versions: [Version] = [
        Version(
            testDescription: "a reducer added",
            app: app(items, totals, ShopReducer("audit") { _, _ in }, logging),
            added: ["audit"]
        ),
        Version(
            testDescription: "a reducer removed, whose work another one does",
            app: app(
                ShopReducer("items") { shop, action in
                    change(&shop, action)
                    log(&shop, action)
                },
                totals
            ),
            removed: ["log"]
        ),
        Version(
            testDescription: "a reducer renamed, without a declaration",
            app: app(items, ShopReducer("sums") { totals.reduce(&$0, $1) }, logging),
            added: ["sums"],
            removed: ["totals"]
        ),
        Version(
            testDescription: "a reducer renamed, with a declaration",
            app: app(items, ShopReducer("sums", formerly: "totals") { totals.reduce(&$0, $1) }, logging),
            renamed: ["totals sums"],
            level: .steps
        ),
        Version(
            testDescription: "a prefix added",
            app: app(items.prefixed(with: "cart", formerly: ""), totals, logging.prefixed(with: "app", formerly: "")),
            renamed: ["items cart.items", "log app.log"],
            level: .steps
        ),
        Version(
            testDescription: "a reducer split",
            app: app(
                items,
                ShopReducer("total", formerly: ["sum", "totals"]) { addUp(&$0, $1) },
                ShopReducer("tax") { addTax(&$0, $1) },
                logging
            ),
            added: ["tax"],
            renamed: ["totals total"]
        ),
        Version(
            testDescription: "reducers moved",
            app: app(logging, items, totals),
            isReordered: true
        ),
    ]

    private let scratch = Scratch()

    private func recorded() throws -> Recording {
        try scratch.record(Self.app(Self.items, Self.totals, Self.logging), Self.session)
    }

    @Test(arguments: versions) func `Reducers that make the same states are equal`(version: Version) throws {
        let result = try version.app.verify(recorded())
        #expect(result.matches, "\(result.divergence?.description ?? "")")
        #expect(result.level == version.level)
        #expect(result.actions == 12)
        let changes = try #require(result.reducers)
        #expect(changes.added == version.added)
        #expect(changes.removed == version.removed)
        #expect(changes.renamed.map { "\($0.recorded) \($0.today)" } == version.renamed)
        #expect(changes.isReordered == version.isReordered)
    }

    @Test(arguments: versions) func `Steps are compared only if each reducer has its number`(version: Version) throws {
        let options = VerificationOptions(level: .steps)
        let recording = try recorded()
        if version.level == .steps {
            #expect(try version.app.verify(recording, options: options).matches)
        } else {
            let error = #expect(throws: ReplayError.self) { try version.app.verify(recording, options: options) }
            #expect(error?.code == .reducersDiffer)
        }
    }

    @Test func `The recorded reducers are compared by steps, and have not changed`() throws {
        let result = try Self.app(Self.items, Self.totals, Self.logging).verify(recorded())
        #expect(result.level == .steps && result.reducers == nil && result.matches)
    }

    /// The same reducers with another tax from a total of 100 on, which action 4 reaches.
    private static let otherTax = ShopReducer("totals") { shop, action in
        totals.reduce(&shop, action)
        if shop.total >= 100 { shop.tax += 1 }
    }

    @Test func `By states, a divergence names the reducer if it can be told`() throws {
        let app = Self.app(Self.items, Self.otherTax, ShopReducer("audit") { _, _ in }, Self.logging)
        let divergence = try #require(app.verify(recorded()).divergence)
        #expect(divergence.scope == .action && divergence.seq == 4)
        #expect(divergence.reducerName == "totals" && divergence.reducer == 2)
        #expect("\(divergence.path)" == "/tax")
        #expect(divergence.expected == 20 && divergence.actual == 21)
        #expect(divergence.position == Recording.Position(seq: 4))
        #expect(divergence.inputWasRecorded)
    }

    @Test func `By states, a divergence of an added reducer names only the action`() throws {
        let audit = ShopReducer("audit") { shop, _ in if shop.total >= 100 { shop.tax += 1 } }
        let divergence = try #require(
            Self.app(Self.items, Self.totals, audit, Self.logging).verify(recorded()).divergence
        )
        #expect(divergence.scope == .action && divergence.seq == 4)
        #expect(divergence.reducer == nil && divergence.reducerName == nil)
        #expect(divergence.description == "action 4 (add): /tax differs after it")
    }

    @Test func `A change that a later reducer of the action takes back is no difference of states`() throws {
        let detour = Self.app(
            Self.items,
            ShopReducer("totals") { shop, action in
                Self.totals.reduce(&shop, action)
                shop.tax += 1
            },
            ShopReducer("log") { shop, action in
                shop.tax -= 1
                Self.log(&shop, action)
            }
        )
        let recording = try recorded()
        #expect(try detour.verify(recording, options: VerificationOptions(level: .states)).matches)
        let divergence = try #require(detour.verify(recording).divergence)
        #expect(divergence.seq == 1 && divergence.reducerName == "totals" && divergence.scope == .reducer)
    }
}
