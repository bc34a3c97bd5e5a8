import HindsightSupport
import HindsightTree

/// The differences of many recordings in classes, and the decisions about them.
struct Review {
    let files: [ExaminedFile]
    private(set) var classes: [ReviewClass]

    init(_ files: [ExaminedFile]) {
        self.files = files
        var found: [ReviewClass.Key: ReviewClass] = [:]
        for (index, file) in files.enumerated() {
            for difference in file.differences {
                let key = ReviewClass.Key(file, difference)
                found[key, default: ReviewClass(key: key)].add(difference, of: index)
            }
            guard let problem = file.problem, problem.isCrash else { continue }
            let key = ReviewClass.Key(file, crash: problem)
            found[key, default: ReviewClass(key: key)].add(nil, of: index)
        }
        classes = Self.folding(Array(found.values)).sorted {
            ($1.count, $0.members[0].file, $0.id) < ($0.count, $1.members[0].file, $1.id)
        }
    }

    /// The files that could not be examined, apart from crashes.
    var unreviewed: [ExaminedFile] { files.filter { $0.problem?.isCrash == false } }

    /// Joins classes whose path another one's pattern covers.
    private static func folding(_ classes: [ReviewClass]) -> [ReviewClass] {
        let groups = Dictionary(grouping: classes) { $0.key.withoutPath }
        return groups.values.flatMap { group in
            let ordered = group.sorted { ($1.key.wildcards, $0.key.path) < ($0.key.wildcards, $1.key.path) }
            return ordered.reduce(into: [ReviewClass]()) { kept, one in
                if let index = kept.firstIndex(where: { $0.key.covers(one.key) }) {
                    kept[index].join(one)
                } else {
                    kept.append(one)
                }
            }
        }
    }
}

extension Review {
    /// The classes that have no decision.
    var undecided: [Int] { classes.indices.filter { classes[$0].decision == nil } }

    /// Whether something is left: a class that is not accepted.
    var isPending: Bool { classes.contains { $0.decision != .accepted } }

    mutating func decide(_ index: Int, _ decision: ReviewClass.Decision) {
        // A crash has no states to accept.
        if decision == .accepted, classes[index].isCrash { return }
        classes[index].decision = decision
    }

    /// The files that can be rewritten: those of which all classes are accepted.
    var accepted: [ExaminedFile] {
        let held = Set(classes.filter { $0.decision != .accepted }.flatMap(\.fileIndices))
        return files.indices.filter { !files[$0].differences.isEmpty && !held.contains($0) }.map { files[$0] }
    }

    /// The files with an accepted class that another class holds back, and those classes.
    var waiting: [(file: ExaminedFile, classes: [ReviewClass])] {
        let accepted = Set(classes.filter { $0.decision == .accepted }.flatMap(\.fileIndices))
        return accepted.sorted().compactMap { index in
            let holding = classes.filter { $0.decision != .accepted && $0.fileIndices.contains(index) }
            return holding.isEmpty ? nil : (files[index], holding)
        }
    }

    /// The class whose id begins with a text.
    ///
    /// - Throws: ``Failure`` if there is none, or more than one.
    func index(of text: String) throws(Failure) -> Int {
        let found = classes.indices.filter { !text.isEmpty && classes[$0].id.hasPrefix(text) }
        if found.count == 1 { return found[0] }
        if found.count > 1 {
            let ids = found.prefix(4).map { classes[$0].id }.joined(separator: ", ")
            throw Failure(.usage, "\(quote(text)) names more than one class: \(ids).", "Give more of its name.")
        }
        let ids = classes.prefix(4).map(\.id).joined(separator: ", ")
        throw Failure(
            .usage,
            "There is no class \(quote(text)). Nothing was written.",
            classes.isEmpty ? "There are no differences." : "There are: \(ids)\(classes.count > 4 ? ", …" : "")."
        )
    }
}
