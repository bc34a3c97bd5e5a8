import Foundation
import HindsightRecorder
import HindsightStore
import HindsightTree

@testable import HindsightReplay

/// The first version of a small app.
struct OldShop: Codable, Sendable {
    var user = User()
    var count = 0
    var items: [Item] = []

    struct User: Codable, Sendable { var nmae = "Zoë" }
    struct Item: Codable, Sendable { var id: Int }
}

enum OldShopAction: Codable, Sendable {
    case addItem(Int)
    case addTwo(first: Int, second: Int)
    case ping
    case rename(nmae: String)
}

let oldShop = ReplayableApp(
    "shop",
    initial: OldShop(),
    reducer: Reducer<OldShop, OldShopAction>.combine(
        Reducer("items") { shop, action in
            switch action {
            case .addItem(let id): shop.items.append(OldShop.Item(id: id))
            case .addTwo(let first, let second): shop.items += [first, second].map { OldShop.Item(id: $0) }
            case .rename(let nmae): shop.user.nmae = nmae
            case .ping: break
            }
        },
        Reducer("count") { shop, _ in shop.count = shop.items.count }
    )
)

let shopSession: [Node] = [
    ["addItem": ["_0": 1]], ["ping": [:]], ["addTwo": ["first": 2, "second": 3]], ["rename": ["nmae": "Ann"]],
]

/// The second version: every name has changed, and one action has become two.
struct NewShop: Codable, Sendable {
    var user = User()
    var totals = Totals()
    var items: [Item] = []

    struct User: Codable, Sendable { var name = "Zoë" }
    struct Totals: Codable, Sendable { var count = 0 }
    struct Item: Codable, Sendable {
        var id: Int
        var done: Bool
    }
}

enum NewShopAction: Codable, Sendable {
    case add(id: Int)
    case rename(name: String)
}

let shopMigration = Migration(to: 2) {
    $0.renameAction("addItem", to: "add")
    $0.renameField("/_0", to: "id", in: "add")
    $0.splitAction("addTwo") { [["add": ["id": $0["first"] ?? .null]], ["add": ["id": $0["second"] ?? .null]]] }
    $0.removeAction("ping")
    $0.renameField("/nmae", to: "name", in: "rename")
    $0.renameField("/user/nmae", to: "name")
    $0.moveField("/count", to: "/totals/count")
    $0.addField("/items/*/done", default: false)
}

/// Fails on the third action of the session.
let failingMigration = Migration(to: 2) {
    $0.mapState { _ in ["user": ["name": ""], "totals": ["count": 0], "items": []] }
    $0.splitAction("addTwo") { _ in throw TreeError(.notDecodable, "no halves") }
    $0.renameAction("addItem", to: "add")
    $0.renameField("/_0", to: "id", in: "add")
    $0.removeAction("ping")
}

/// - Parameter excess: What the last reducer counts too much.
func newShop(
    _ migrations: [Migration] = [shopMigration],
    schema: Int? = nil,
    excess: @escaping @Sendable (NewShop) -> Int = { _ in 0 }
) -> ReplayableApp {
    ReplayableApp(
        "shop",
        initial: NewShop(),
        reducer: Reducer<NewShop, NewShopAction>.combine(
            Reducer("items") { shop, action in
                switch action {
                case .add(let id): shop.items.append(NewShop.Item(id: id, done: false))
                case .rename(let name): shop.user.name = name
                }
            },
            Reducer("count") { shop, _ in shop.totals.count = shop.items.count + excess(shop) }
        ),
        schema: schema,
        migrations: migrations
    )
}
