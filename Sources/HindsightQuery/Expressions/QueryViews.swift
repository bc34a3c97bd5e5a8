import HindsightFormat

/// The documented views of ``RecordingQuery``, which are temporary: they hide whatever a file calls so.
enum QueryViews {
    static let names = Set(RecordingView.allCases.map(\.rawValue))

    /// The names of all their columns.
    static let columns = [
        "at", "changes", "duration", "name", "new", "old", "op", "origin", "parent", "path", "paths", "payload",
        "position", "problem", "reducer", "seq", "task", "text", "thread", "time", "type",
    ]

    /// The statements that create the views.
    ///
    /// Each documented view selects from a source: a view whose name has a random number in it, so that no query can name
    /// it. The authorizer lets only sources read a recording's tables. It could not check the documented names instead,
    /// because it cannot tell a view from a `WITH` of the same name.
    ///
    /// - Parameters:
    ///   - start: The last dropped action.
    ///   - secret: Stands in the names of the sources.
    static func all(after start: Int, under secret: String) -> [String] {
        RecordingView.allCases.flatMap { view in
            let text = view.text(
                after: "\(start)",
                in: "main.",
                views: { "temp.\"\(sourceName(of: $0, under: secret))\"" },
                typing: "\"@typed\""
            )
            let source = sourceName(of: view, under: secret)
            return [
                "CREATE TEMP VIEW \"\(source)\" AS\n\(text)",
                "CREATE TEMP VIEW \(view.rawValue) AS SELECT * FROM temp.\"\(source)\"",
            ]
        }
    }

    static func sources(under secret: String) -> Set<String> {
        Set(RecordingView.allCases.map { sourceName(of: $0, under: secret) })
    }

    private static func sourceName(of view: RecordingView, under secret: String) -> String {
        "\(view.rawValue)@\(secret)"
    }
}
