import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import Synchronization

/// A way in which this process ends while it records, in its third action or after it.
enum WayToDie: String, CaseIterable {
    case reducer = "in a reducer"
    case beforeNext = "in middleware before next"
    case nested = "in middleware before next of an answer"
    case afterNext = "in middleware after next"
    case observer = "in an observer"
    case subscriber = "in a subscriber"
    case stepSubscriber = "in a subscriber after each reducer"
    case waiting = "in middleware for a subscriber"
    case effect = "in an effect"
    case otherThread = "on another thread"
    case otherThreadInReducer = "on another thread while a reducer runs"
    case exit = "by exit"
    case exitInReducer = "by exit in a reducer"
    case killBetween = "by SIGKILL between actions"
    case killInReducer = "by SIGKILL in a reducer"
    case killInSubscriber = "by SIGKILL in a subscriber"
    case overflow = "by stack overflow"
    case memory = "by a bad address"
}

private struct Sums: Codable, Sendable, Equatable {
    var first = 0
    var second = 0
    var third = 0
}

/// Whether all actions were dispatched and the dispatching thread waits.
private let isIdle = Atomic(false)

/// Dies in the middle of an action if that is the way.
private func die(_ ways: WayToDie..., at action: Int, of way: WayToDie) {
    guard action == 3, ways.contains(way) else { return }
    switch way {
    case .killInReducer, .killInSubscriber: kill(getpid(), SIGKILL)
    case .exitInReducer: exit(0)
    case .overflow: print(depth(of: 0))
    case .memory: print(UnsafePointer<Int>(bitPattern: 16)?.pointee as Any)
    case .otherThreadInReducer:
        Thread { abort() }.start()
        while true { sleep(1) }
    default: fatalError("as asked for")
    }
}

@inline(never) private func depth(of number: Int) -> Int {
    number == .max ? 0 : depth(of: number + 1) + number % 3
}

private final class Observer: ReductionObserver {
    let way: WayToDie
    init(_ way: WayToDie) { self.way = way }
    func storeStarted(initial: Sums, reducers: [String]) {}
    func willReduce(_ action: Int, context: ActionContext) {}
    func didRun(reducer: Int, state: Sums) { if reducer == 1, state.first > 5 { die(.observer, at: 3, of: way) } }
    func didReduce(state: Sums) {}
}

/// Records three actions and dies. If nothing ends the process, waits for its input to end.
func die(_ way: WayToDie, marked: Bool, in output: URL) throws -> Never {
    var options = RecorderOptions()
    options.marksCrashes = marked
    let recorder = try Recorder<Sums, Int>(to: output, app: AppInfo(name: "dying"), options: options)
    var middleware = [recorder.middleware]
    if way == .observer { middleware.append(Middleware(observer: Observer(way))) }
    if [.beforeNext, .nested, .afterNext, .waiting].contains(way) {
        middleware.append(
            Middleware { _, dispatch in
                { next in
                    { action in
                        die(.beforeNext, .waiting, .nested, at: action, of: way)
                        next(action)
                        die(.afterNext, at: action, of: way)
                        if way == .nested, action == 2 { dispatch(3, fileID: "MyApp/Cart.swift", line: 7) }
                    }
                }
            }
        )
    }
    if way == .effect {
        middleware.append(
            .effects { action, _ in
                guard action == 3 else { return .none }
                return .task { _ in
                    while !isIdle.load(ordering: .acquiring) { usleep(1000) }
                    die(.effect, at: action, of: way)
                }
            }
        )
    }
    let store = Store(
        initial: Sums(),
        reducer: Reducer<Sums, Int>.combine(
            Reducer("first") { $0.first += $1 },
            Reducer("second") { sums, action in
                sums.second += action
                die(
                    .reducer,
                    .exitInReducer,
                    .killInReducer,
                    .overflow,
                    .memory,
                    .otherThreadInReducer,
                    at: action,
                    of: way
                )
            },
            Reducer("third") { $0.third += $1 }
        ),
        middleware: middleware
    )
    var tokens: [SubscriptionToken] = []
    if [.subscriber, .killInSubscriber].contains(way) {
        tokens.append(store.subscribe(\.third) { if $0 > 5 { die(.subscriber, .killInSubscriber, at: 3, of: way) } })
    }
    if way == .waiting {
        tokens.append(
            store.subscribe(\.third) { [weak store] third in
                if third == 3 { store?.dispatch(3, fileID: "MyApp/Cart.swift", line: 7) }
            }
        )
    }
    if way == .stepSubscriber {
        tokens.append(
            store.subscribe(\.first, timing: .eachReducer) { if $0 > 5 { die(.stepSubscriber, at: 3, of: way) } }
        )
    }
    for action in 1...3 { store.dispatch(action, fileID: "MyApp/Cart.swift", line: 40 + action) }
    isIdle.store(true, ordering: .releasing)
    switch way {
    case .exit: exit(0)
    case .killBetween: kill(getpid(), SIGKILL)
    case .otherThread: Thread { abort() }.start()
    default: break
    }
    while true { withExtendedLifetime((store, tokens)) { _ = sleep(1) } }
}
