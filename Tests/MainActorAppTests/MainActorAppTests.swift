import Foundation
import HindsightReplay
import HindsightStore
import MainActorApp
import MainActorAppApproachable
import MainActorAppSwift5
import Synchronization
import Testing

private struct Tally: Sendable {
    var count = 0
}

/// Modules whose default isolation is `MainActor`, in Swift 6 and Swift 5 mode, and with Approachable Concurrency.
@Suite struct MainActorAppTests {
    private static let told = [
        "count 2", "title 2  at 1", "title 2 Ada at 2", "Welcome, Ada", "count 4", "title 4 Ada at 4", "observed 4 Ada",
    ]

    @Test func `An app isolated to the main actor subscribes, runs effects, records and replays`() async throws {
        try await check(MainActorApp.runApp, replayedBy: MainActorApp.app)
    }

    @Test func `The same in Swift 5 mode`() async throws {
        try await check(MainActorAppSwift5.runApp, replayedBy: MainActorAppSwift5.app)
    }

    @Test func `The same with Approachable Concurrency`() async throws {
        try await check(MainActorAppApproachable.runApp, replayedBy: MainActorAppApproachable.app)
    }

    @Test func `A state isolated to the main actor is subscribed to by key path`() async {
        #expect(await MainActorApp.runPlainApp() == [1, 3])
        #expect(await MainActorAppSwift5.runPlainApp() == [1, 3])
        #expect(await MainActorAppApproachable.runPlainApp() == [1, 3])
    }

    @MainActor @Test func `A key path of a nonisolated state is followed on the dispatching thread`() {
        let reducer = Reducer<Tally, Int>("count") { $0.count += $1 }
        let store = Store(initial: Tally(), reducer: reducer)
        let counts = Mutex<[Int]>([])
        let token = store.subscribe(\.count) { count in counts.withLock { $0.append(count) } }
        store.dispatch(1)
        // At once, without a task.
        #expect(counts.withLock { $0 } == [1])
        token.cancel()
    }

    private func check(
        _ run: @MainActor (URL) async throws -> [String],
        replayedBy app: ReplayableApp
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("app.hindsight")
        let told = try await run(file)
        #expect(told.sorted() == Self.told.sorted())
        let result = try app.verify(Recording(at: file))
        #expect(result.divergence == nil)
        #expect(result.actions == 4)
    }
}
