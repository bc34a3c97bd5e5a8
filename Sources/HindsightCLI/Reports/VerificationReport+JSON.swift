import HindsightRecording
import HindsightReplay
import HindsightTree

extension VerificationReport {
    func json(_ result: VerificationResult, rules: RulesAnswer? = nil) throws -> Node {
        .members([
            "file": .string(recording.url.relativePath),
            "app": .string(recording.app.name),
            "equal": result.comparedNothing ? .null : .bool(result.matches),
            "actions": .int(result.actions),
            "steps": .int(result.steps),
            "gaps": .array(result.gaps.map(Node.int)),
            "travels": .array(result.travels.map(Node.int)),
            "skipped": .ranges(result.skipped),
            "doubtful": .ranges(result.doubtful),
            "unknown": .optional(unknown(result).map(Node.range)),
            "redacted": strings(result.redacted),
            "unfinished": .optional(unfinished(result).map(Node.int)),
            "lacksActions": .bool(result.lacksActions),
            "initialDifference": .optional(result.initialDifference?.node),
            "level": .string(result.level.rawValue),
            "reducers": .optional(result.reducers.map(json)),
            "migrations": .array(result.migrations.map(Node.int)),
            "removed": .array(result.removed.map(Node.int)),
            "conversions": try Node(answer: result.conversions),
            "unstable": try Node(answer: result.unstable),
            "ignored": strings(result.ignoredPaths),
            "tolerances": try Node(answer: result.tolerances),
            "unusedPatterns": strings(result.unusedPatterns),
            "divergence": .optional(result.divergence.map(json)),
            "divergenceCount": .int(result.divergenceCount),
            "divergedActions": .int(result.divergedActions),
            "classes": .array(result.classes.map(json)),
            "agreements": .array(result.agreements.map(Node.int)),
            "finalDifference": .optional(result.finalDifference?.node),
            "rules": try rules.map { try Node(answer: $0.rules) },
        ])
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
