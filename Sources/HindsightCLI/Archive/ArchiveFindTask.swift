#if Archive
    import HindsightQuery
    import HindsightRecording

    /// Searches one recording for `archive find` in a child process, and answers with an ``Answer``.
    struct ArchiveFindTask: AnsweringTask {
        static let name = "archive-find"

        /// What to search for.
        struct Question: Codable {
            var expression: String
            /// Whether only positions count at which the expression becomes true.
            var becomes: Bool
            /// The raw value of a `RecordingExpression.Granularity`.
            var by: String?
        }

        /// Neighbouring positions at which the expression is true.
        struct Stretch: Codable {
            var position: String
            var to: String
            var count: Int
        }

        struct Answer: Codable {
            var stretches: [Stretch] = []
            /// The number of stretches; `stretches` has the first.
            var stretchCount = 0
            var trueCount = 0
            var nullCount = 0
            var unknownCount = 0
            /// Whether the expression reads states, and some of those searched are doubtful; `nil` if not.
            var doubtful: Bool?
            /// What makes the answer empty: names of the expression that the recording does not have.
            var unknownNames: [UnknownName]?
            /// Why the recording was not searched.
            var error: String?
        }

        /// A name of the expression.
        struct UnknownName: Codable, Hashable {
            enum Kind: String, Codable { case path, type, reducer, operation, comparison }

            var kind: Kind
            var name: String
        }

        /// The most stretches of an answer.
        private static let maxStretches = 100

        let question: Question
        let file: String

        var words: [String] { ["archive", "find", file] }

        func answer(in tool: Tool) throws -> Answer {
            do {
                return try Self.search(question, try tool.open(file), tool)
            } catch {
                return Answer(error: Messages.failure(for: error, tool: tool.name).lines.joined(separator: " "))
            }
        }

        private static func search(_ question: Question, _ recording: Recording, _ tool: Tool) throws -> Answer {
            let scan = try ExpressionScan(
                of: recording,
                where: try RecordingExpression(question.expression),
                in: nil,
                by: question.by.flatMap(RecordingExpression.Granularity.init(rawValue:)),
                index: nil
            )
            var search = ExpressionSearch(scan)
            search.onlyTurns = question.becomes
            search.most = maxStretches
            try search.run()
            let report = try ExpressionReport(search: search, scan: scan, by: nil, tool)
            return Answer(
                stretches: search.found.map {
                    Stretch(position: $0.first.description, to: $0.last.description, count: $0.count)
                },
                stretchCount: search.stretchCount,
                trueCount: search.trueCount,
                nullCount: search.nullCount,
                unknownCount: search.unknownCount,
                doubtful: report.doubtfulRange == nil ? nil : true,
                unknownNames: report.isMistaken ? unknownNames(report.names) : nil
            )
        }

        private static func unknownNames(_ names: UnknownNames) -> [UnknownName] {
            func named(_ kind: UnknownName.Kind, _ texts: [String]) -> [UnknownName] {
                texts.map { UnknownName(kind: kind, name: $0) }
            }
            return named(.path, names.paths.map(\.description)) + named(.type, names.types)
                + named(.reducer, names.reducers) + named(.operation, names.operations)
                + named(.comparison, names.comparisons.map(\.path.description))
        }
    }
#endif
