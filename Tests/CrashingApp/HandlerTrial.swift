import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightSupport
import Synchronization

/// The tests of the handlers that mark crashes.
enum HandlerTrial: String {
    case chained = "the app's own handlers"
    case ignored = "a fault whose signal is ignored"
    case overflowOfDispatcher = "overflow of a thread that dispatches"
    case overflowOfOwnStore = "overflow of a thread that records a store of another kind"
    case otherThreadThanOwnStore = "another thread than the one that records a store of another kind"
    case overflowOfMaker = "overflow of a thread that only made the recorder"
    case many = "after many recorders"
    case closed = "after a recorder that was closed"
    case cutJournal = "a journal that is cut"
    case cutFile = "another file that is cut"
    case forks = "forks that crash"
}

private struct Sum: Codable, Sendable {
    var value = 0
}

private typealias Pair = (recorder: Recorder<Sum, Int>, store: Store<Sum, Int>)

/// A recorder that marks.
private func marking(in output: URL) throws -> Recorder<Sum, Int> {
    var options = RecorderOptions()
    options.marksCrashes = true
    return try Recorder<Sum, Int>(to: output, app: AppInfo(name: "handlers"), options: options)
}

/// Records and marks. Action 2 overflows the stack.
private func recording(to output: URL) throws -> Pair {
    let recorder = try marking(in: output)
    let store = Store(
        initial: Sum(),
        reducer: Reducer<Sum, Int>("add") { sum, action in
            sum.value += action == 2 ? depth(of: 0) : action
        },
        middleware: [recorder.middleware]
    )
    return (recorder, store)
}

@inline(never) private func depth(of number: Int) -> Int {
    number == .max ? 0 : depth(of: number + 1) + number % 3
}

/// How often the app's own handlers were called correctly.
private let handled = Atomic(0)
private let isDispatched = Atomic(false)

private func installHandlers() {
    signal(SIGTRAP) { number in
        if number == SIGTRAP { handled.add(1, ordering: .relaxed) }
    }
    var action = sigaction()
    action.sa_flags = SA_SIGINFO
    let handler: SignalAction.Handler = { number, info, _ in
        if number == SIGFPE, info?.pointee.si_signo == SIGFPE { handled.add(1, ordering: .relaxed) }
    }
    SignalAction.set(handler, in: &action)
    sigaction(SIGFPE, &action, nil)
}

/// Aborts in a copy of the process, after an action of a store that the copy may make.
private func crashInFork(_ make: () throws -> Pair?) {
    let copy = forkProcess()
    if copy == 0 {
        alarm(60)
        do {
            let pair = try make()
            pair?.store.dispatch(1)
            withExtendedLifetime(pair) { abort() }
        } catch {
            _exit(1)
        }
    }
    var status: Int32 = 0
    waitpid(copy, &status, 0)
    if status & 0x7F != SIGABRT { exit(3) }
}

/// Ends the process as the trial requires.
func run(_ trial: HandlerTrial, in output: URL) throws -> Never {
    let other = output.deletingLastPathComponent().appending(path: "other.hindsight")
    switch trial {
    case .chained:
        installHandlers()
        let pair = try recording(to: output)
        for number in [SIGTRAP, SIGFPE, SIGTRAP] { raise(number) }
        pair.store.dispatch(1)
        if handled.load(ordering: .relaxed) == 3 { abort() }
    case .ignored:
        signal(SIGFPE, SIG_IGN)
        let pair = try recording(to: output)
        pair.store.dispatch(1)
        print(div(1, CInt(pair.store.state.value - 1)))
    case .overflowOfDispatcher:
        let store = try recording(to: output).store
        Thread { for action in 1...2 { store.dispatch(action) } }.start()
        while true { sleep(1) }
    case .overflowOfOwnStore, .otherThreadThanOwnStore:
        let recorder = try marking(in: output)
        Thread {
            var sum = Sum()
            for action in 1...2 {
                recorder.record(action, in: &sum) { sum in
                    guard action == 2 else { return }
                    if trial == .overflowOfOwnStore { sum.value += depth(of: 0) }
                    Thread { abort() }.start()
                    while true { sleep(1) }
                }
            }
        }.start()
        while true { sleep(1) }
    case .overflowOfMaker:
        let store = try recording(to: output).store
        Thread {
            store.dispatch(1)
            isDispatched.store(true, ordering: .releasing)
            while true { sleep(1) }
        }.start()
        while !isDispatched.load(ordering: .acquiring) { usleep(1000) }
        print(depth(of: 0))
    case .many:
        // More recorders than there are slots.
        for number in 0..<70 {
            let pair = try recording(to: other.appendingPathExtension("\(number)"))
            pair.store.dispatch(1)
            try pair.recorder.close()
        }
        let pair = try recording(to: output)
        pair.store.dispatch(1)
        withExtendedLifetime(pair) { abort() }
    case .closed:
        var first: Pair? = try recording(to: other)
        let second = try recording(to: output)
        first?.store.dispatch(1)
        second.store.dispatch(1)
        try first?.recorder.close()
        first = nil
        withExtendedLifetime(second) { abort() }
    case .cutJournal:
        let (first, second) = (try recording(to: other), try recording(to: output))
        truncate(other.path + "-ahead", 0)
        for store in [first.store, second.store] { store.dispatch(1) }
        withExtendedLifetime((first, second)) { exit(0) }
    case .cutFile:
        let pair = try recording(to: output)
        pair.store.dispatch(1)
        try Data(count: 4096).write(to: other)
        let descriptor = open(other.path, O_RDWR)
        let memory = mmap(nil, 4096, PROT_READ, MAP_SHARED, descriptor, 0)
        ftruncate(descriptor, 0)
        print(memory?.load(as: Int.self) as Any)
    case .forks:
        let parent = try recording(to: other)
        parent.store.dispatch(1)
        try parent.recorder.flush()
        // A copy that is made while the writer's thread initializes something of the runtime waits for that for ever.
        usleep(200_000)
        crashInFork { nil }
        crashInFork { try recording(to: output) }
        parent.store.dispatch(1)
        withExtendedLifetime(parent) { exit(0) }
    }
    // The signal has not ended the process.
    exit(2)
}
