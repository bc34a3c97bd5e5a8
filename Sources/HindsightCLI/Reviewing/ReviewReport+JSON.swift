import HindsightTree

extension ReviewReport {
    /// The answer of `review --json`.
    ///
    /// - Parameters:
    ///   - written: The rewritten files.
    ///   - failures: The files that could not be rewritten, and why.
    ///   - stale: The files that no test refers to; `nil` if that is not known.
    static func json(
        _ review: Review,
        written: [String],
        failures: [(file: String, failure: Failure)],
        stale: [String]?
    ) -> Node {
        func strings(_ texts: [String]) -> Node { .array(texts.map(Node.string)) }
        func error(_ file: String, _ lines: [String]) -> Node {
            ["file": .string(file), "error": .string(lines.joined(separator: " "))]
        }
        return [
            "recordings": .int(review.files.count),
            "pending": .bool(review.isPending),
            "classes": .array(review.classes.map { json($0, review) }),
            "rewritten": strings(written),
            "waiting": .array(
                review.waiting.map { ["file": .string($0.file.file), "classes": strings($0.classes.map(\.id))] }
            ),
            "failed": .array(failures.map { error($0.file, $0.failure.lines) }),
            "notReviewed": .array(review.unreviewed.map { error($0.file, $0.problem?.lines ?? []) }),
            "unfinished": .array(
                review.files.compactMap { file in
                    file.unfinished.map { ["file": .string(file.file), "seq": .int($0)] }
                }
            ),
            "stale": .optional(stale.map(strings)),
        ]
    }

    private static func json(_ one: ReviewClass, _ review: Review) -> Node {
        let first = one.members.first
        let problem = first.flatMap { review.files[$0.file].problem }
        return [
            "id": .string(one.id),
            "app": .string(one.key.app),
            "type": .optional(one.key.type.map(Node.string)),
            "name": .optional(one.key.reducer.map(Node.string)),
            "path": .string(one.key.path),
            "cause": .string(one.key.cause),
            "count": .int(one.count),
            "decision": .optional(one.decision.map { .string($0.rawValue) }),
            "files": .array(one.fileIndices.map { .string(review.files[$0].file) }),
            "first": .optional(
                first.map { json($0.difference?.first, problem, file: review.files[$0.file].file) }
            ),
        ]
    }

    /// Omits `expected` or `got` if there is no value, which is not the same as null.
    private static func json(_ example: ExaminedFile.Example?, _ problem: ExaminedFile.Problem?, file: String) -> Node {
        guard let example else {
            let error = (problem?.lines ?? []).joined(separator: " ")
            return ["file": .string(file), "seq": .optional(problem?.seq.map(Node.int)), "error": .string(error)]
        }
        return .members([
            "file": .string(file), "seq": .int(example.seq), "position": .string(example.position.description),
            "action": .optional(example.action), "path": .string(example.path), "expected": example.expected,
            "got": example.actual, "difference": example.patch.node,
        ])
    }
}
