import HindsightRecording
import HindsightReplay
import HindsightTree

extension VerificationReport {
    func json(_ result: VerificationResult, rules: RulesAnswer? = nil) throws -> Node {
        var members: [Node.Member] = [
            .init("file", .string(recording.url.relativePath)),
            .init("app", .string(recording.app.name)),
            .init("equal", result.comparedNothing ? .null : .bool(result.matches)),
            .init("actions", .int(result.actions)),
            .init("steps", .int(result.steps)),
            .init("gaps", .array(result.gaps.map(Node.int))),
            .init("travels", .array(result.travels.map(Node.int))),
            .init("skipped", .ranges(result.skipped)),
            .init("doubtful", .ranges(result.doubtful)),
            .init("unknown", .optional(unknown(result).map(Node.range))),
            .init("redacted", strings(result.redacted)),
            .init("unfinished", .optional(unfinished(result).map(Node.int))),
            .init("initialDifference", .optional(result.initialDifference?.node)),
        ]
        members += [
            .init("level", .string(result.level.rawValue)),
            .init("reducers", .optional(result.reducers.map(json))),
            .init("migrations", .array(result.migrations.map(Node.int))),
            .init("removed", .array(result.removed.map(Node.int))),
            .init("conversions", try Node(answer: result.conversions)),
            .init("unstable", try Node(answer: result.unstable)),
            .init("ignored", strings(result.ignoredPaths)),
            .init("tolerances", try Node(answer: result.tolerances)),
            .init("unusedPatterns", strings(result.unusedPatterns)),
            .init("divergence", .optional(result.divergence.map(json))),
            .init("divergenceCount", .int(result.divergenceCount)),
            .init("divergedActions", .int(result.divergedActions)),
            .init("classes", .array(result.classes.map(json))),
            .init("agreements", .array(result.agreements.map(Node.int))),
            .init("finalDifference", .optional(result.finalDifference?.node)),
        ]
        if let rules { members.append(.init("rules", try Node(answer: rules.rules))) }
        return .object(members)
    }

    private func strings(_ texts: [String]) -> Node { .array(texts.map(Node.string)) }

    private func json(_ changes: ReducerChanges) -> Node {
        [
            "added": strings(changes.added),
            "removed": strings(changes.removed),
            "renamed": .array(changes.renamed.map { strings([$0.recorded, $0.today]) }),
            "reordered": .bool(changes.isReordered),
            "steps": strings(changes.steps),
        ]
    }

    private func json(_ one: DivergenceClass) -> Node {
        [
            "type": .optional(one.actionType.map(Node.string)),
            "name": .optional(one.reducerName.map(Node.string)),
            "path": .string(one.path.description),
            "cause": .string(one.cause.rawValue),
            "count": .int(one.count),
            "seqs": .array(one.seqs.map(Node.int)),
            "first": json(one.example),
        ]
    }

    /// Omits `expected` or `got` if there is no value, which is not the same as null.
    private func json(_ divergence: Divergence) -> Node {
        .members([
            "scope": .string(divergence.scope.rawValue),
            "seq": .int(divergence.seq),
            "actions": .optional(divergence.actions.map(Node.range)),
            "type": .optional(divergence.action.map { Node.string($0.type) }),
            "reducer": .optional(divergence.reducer.map(Node.int)),
            "name": .optional(divergence.reducerName.map(Node.string)),
            "recordedBy": .optional(divergence.writers?.recorded.map(Node.string)),
            "nowBy": .optional(divergence.writers?.today.map(Node.string)),
            "path": .string(divergence.path.description),
            "expected": divergence.expected,
            "got": divergence.actual,
            "inputWasRecorded": .bool(divergence.inputWasRecorded),
            "isRepeatable": .bool(divergence.isRepeatable),
            "cause": .string(divergence.cause.rawValue),
            "redacted": strings(divergence.redacted),
            "difference": divergence.difference.node,
        ])
    }
}
