import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightSQLite
import HindsightStore
import HindsightTree
import Synchronization
import TestSupport
import Testing

typealias Scratch = TestSupport.Scratch

/// A small app with several reducers.
struct Shop: Codable, Sendable {
    struct Item: Codable, Sendable {
        var name: String
        var price: Int
        var isGift = false
    }

    var items: [Item] = []
    var total = 0
    var note = ""
    var coupon: String?
    var seen: Set<String> = []
    var log: [String] = []
}

enum ShopAction: Codable, Sendable {
    case add(name: String, price: Int)
    case remove(at: Int)
    case wrap(at: Int)
    case write(String)
    case apply(coupon: String?)
    case clear
    case nothing
}

let shopReducer = Reducer<Shop, ShopAction>.combine(
    Reducer("items") { shop, action in
        switch action {
        case .add(let name, let price): shop.items.append(Shop.Item(name: name, price: price))
        case .remove(let index) where shop.items.indices.contains(index): shop.items.remove(at: index)
        case .wrap(let index) where shop.items.indices.contains(index): shop.items[index].isGift.toggle()
        case .clear: shop.items = []
        default: break
        }
    },
    Reducer("total") { shop, _ in shop.total = shop.items.reduce(0) { $0 + $1.price } },
    Reducer("note") { shop, action in
        if case .write(let text) = action { shop.note += text }
        if case .apply(let coupon) = action { shop.coupon = coupon }
    },
    Reducer("audit") { shop, action in
        if case .nothing = action { return }
        if case .add(let name, _) = action { shop.seen.insert(name) }
        shop.log.append("\(shop.items.count) items")
    }
)

/// Actions of all kinds, determined by the seed.
func shopActions(_ count: Int, seed: UInt64) -> [ShopAction] {
    var random = Seeded(seed: seed)
    return (0..<count).map { number in
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: .add(name: "thing \(number) é/~", price: .random(in: -5...10_000, using: &random))
        case 4, 5: .remove(at: .random(in: 0..<5, using: &random))
        case 6: .wrap(at: .random(in: 0..<5, using: &random))
        case 7, 8: .write("note \(number)\u{1B}[31m\n")
        case 9: .apply(coupon: Bool.random(using: &random) ? "SAVE\(number)" : nil)
        case 10 where number % 7 == 0: .clear
        default: .nothing
        }
    }
}

/// Collects the store's true state at each position.
final class Witness<StateValue: Codable & Sendable, ActionValue: Sendable>: ReductionObserver {
    private let kept = Mutex<(seq: Int, states: [Recording.Position: StateValue])>((0, [:]))

    var states: [Recording.Position: StateValue] { kept.withLock { $0.states } }

    func storeStarted(initial: StateValue, reducers: [String]) {
        kept.withLock { $0.states[Recording.Position(seq: 0)] = initial }
    }

    func willReduce(_ action: ActionValue, context: ActionContext) {
        kept.withLock { $0.seq = context.seq }
    }

    func didRun(reducer: Int, state: StateValue) {
        kept.withLock { $0.states[Recording.Position(seq: $0.seq, reducer: reducer)] = state }
    }

    func didReduce(state: StateValue) {
        kept.withLock { $0.states[Recording.Position(seq: $0.seq)] = state }
    }

    func didTravel(to seq: Int?, context: ActionContext, state: StateValue) {
        kept.withLock { $0.states[Recording.Position(seq: context.seq)] = state }
    }
}

/// Collects the errors that a recorder reports.
final class Complaints: Sendable {
    private let errors = Mutex<[RecordingError]>([])

    var all: [RecordingError] { errors.withLock { $0 } }
    var codes: [RecordingError.Code] { all.map(\.code) }

    var options: RecorderOptions {
        RecorderOptions(onError: { error in self.errors.withLock { $0.append(error) } })
    }
}

/// A recorder and a store of the shop.
func shop(
    at url: URL,
    options: RecorderOptions = RecorderOptions(),
    middleware: [Middleware<Shop, ShopAction>] = []
) throws -> (Recorder<Shop, ShopAction>, Store<Shop, ShopAction>) {
    let recorder = try Recorder<Shop, ShopAction>(
        to: url,
        app: AppInfo(name: "shop", version: "1.2"),
        options: options
    )
    let store = Store(initial: Shop(), reducer: shopReducer, middleware: [recorder.middleware] + middleware)
    return (recorder, store)
}

/// Records actions of all kinds, and returns the closed recording.
@discardableResult
func recordShop(
    _ count: Int,
    seed: UInt64,
    to url: URL,
    options: RecorderOptions = RecorderOptions(),
    witness: Witness<Shop, ShopAction>? = nil
) throws -> Recording {
    let observers = witness.map { [Middleware(observer: $0)] } ?? []
    let (recorder, store) = try shop(at: url, options: options, middleware: observers)
    for action in shopActions(count, seed: seed) { store.dispatch(action) }
    return try recorder.closeAndRead()
}

extension Recorder {
    /// Closes the recording, and opens it to be read.
    func closeAndRead() throws -> Recording {
        try close()
        return try Recording(at: url)
    }
}

extension Recorder where ActionValue: Codable {
    /// A recorder, and a store of one reducer.
    static func withStore(
        _ initial: StateValue,
        to url: URL,
        options: RecorderOptions = RecorderOptions(),
        _ reduce: @escaping @Sendable (inout StateValue, ActionValue) -> Void
    ) throws -> (Recorder, Store<StateValue, ActionValue>) {
        let recorder = try Recorder(to: url, app: AppInfo(name: "app"), options: options)
        let reducer = Reducer("reduce", reduce)
        return (recorder, Store(initial: initial, reducer: reducer, middleware: [recorder.middleware]))
    }
}

/// Runs the body while another connection keeps all others from writing into the file.
func whileBlocked<Result>(_ file: URL, _ body: () throws -> Result) throws -> Result {
    let blocker = try Connection(file.path, .readWrite)
    try blocker.execute("BEGIN IMMEDIATE")
    let result = try body()
    try blocker.execute("ROLLBACK")
    return result
}

/// Expects an error with a code and words, and returns it.
@discardableResult
func expectError<Result>(
    _ code: RecordingError.Code,
    _ label: String = "",
    saying words: String = "",
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Result
) -> RecordingError? {
    let error = #expect(throws: RecordingError.self, "\(label)", sourceLocation: sourceLocation) { _ = try body() }
    let story: Comment = "\(label): \(String(describing: error))"
    #expect(error?.code == code, story, sourceLocation: sourceLocation)
    let saysThem = words.isEmpty || error?.description.contains(words) == true
    #expect(saysThem, story, sourceLocation: sourceLocation)
    return error
}
