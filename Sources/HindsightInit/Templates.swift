/// The text of what `init` creates.
enum Templates {
    static func tool(_ apps: [DeclaredApp]) -> String {
        """
        \(imports(["HindsightCLI", apps[0].module]))

        HindsightTool.run(\(apps.map(\.constant).joined(separator: ", ")))

        """
    }

    static func tests(_ app: DeclaredApp) -> String {
        """
        \(imports(["Foundation", "HindsightTesting", "Testing", app.module]))

        /// The recordings beside this file. Each is a regression test.
        private let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

        @Test(arguments: try recordings(in: fixtures))
        func `a recorded session replays as it was`(recording: URL) {
            expectReplay(of: recording, by: \(app.constant))
        }

        """
    }

    /// Keeps the folder in version control before it has recordings.
    static let fixtures = """
        Each recording in this folder (`.hindsight`, or `.jsonl` as text) is a regression test. Its test replays the recorded
        actions, and fails if today's reducers make other changes.

        """

    static func sample(_ name: String) -> String {
        """
        \(imports(["HindsightRecorder", "HindsightStore"]))

        // A sample. Replace the state, the actions and the reducer with those of your app.

        public struct AppState: Codable, Sendable {
            public var count = 0
        }

        public enum AppAction: Codable, Sendable {
            case add(amount: Int)
            case reset
        }

        public let appReducer = Reducer<AppState, AppAction>("counting") { state, action in
            switch action {
            case .add(let amount): state.count += amount
            case .reset: state = AppState()
            }
        }

        /// The app, as its tool and its tests replay it.
        public let \(sampleConstant) = ReplayableApp("\(name)", version: "1.0", initial: AppState(), reducer: appReducer)

        """
    }

    static let sampleConstant = "sampleApp"

    private static func imports(_ modules: [String]) -> String {
        modules.sorted().map { "import \($0)" }.joined(separator: "\n")
    }
}
