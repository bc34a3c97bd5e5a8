import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Brings the nodes of a recording into the form that today's types have.
///
/// Migrations apply first. Then a field of the state that is missing gets the value of today's initial state, if that
/// has the very field, and it does not lie in an element of an array.
struct RecordedForm {
    /// The migrations from the recording's schema to the app's.
    private let chain: MigrationChain
    /// Whether a migration applies.
    let isMigrated: Bool
    /// Whether a migration that applies converts states, and not actions alone.
    let migratesStates: Bool
    private let app: ReplayableApp
    /// Redacts today's states like the recorded ones.
    let redactor: Redactor
    /// The fields of states that today's types need and the recording does not have, with the values that they got.
    private(set) var defaults: [Default] = []
    /// The fields of recorded states that today's types do not read.
    private(set) var unread: [NodePath] = []
    /// The fields that only the recording or only today's types write if they are `null`.
    private(set) var nullable: [NodePath] = []
    /// The recorded values that today's types read as other ones, which they read unchanged.
    private(set) var conversions: [Fit.Conversion] = []
    /// The values of the last read state that change each time that today's types read them.
    private(set) var changed: [Fit.Conversion] = []
    /// Whether the app's `init(from:)` adds fields or changes values, so that a recorded state is compared after it was
    /// read.
    private(set) var isConverted = false
    /// The fields that look as if they had been renamed or moved.
    private(set) var suspects: [Suspect] = []
    private var keys: DictionaryKeys
    /// The places that the recording hides, as patterns.
    private let redacted: [String]
    private var initial: Node?

    /// - Throws: `MigrationError` if the migrations do not lead from the recording's schema to the app's; `PatternError`
    ///   if a pattern of its redaction is not valid.
    init(of recording: Recording, by app: ReplayableApp) throws {
        redactor = try recording.redaction.stateRedactor()
        chain = try MigrationChain(app.migrations, from: recording.app.schema, to: app.schema)
        isMigrated = !chain.isEmpty
        migratesStates = chain.convertsStates
        self.app = app
        redacted = recording.redaction.states
        keys = DictionaryKeys(app)
    }

    /// Whether recorded nodes have today's form already, so that recorded patches can be compared with today's.
    var isCurrent: Bool { !isMigrated && !isConverted }

    /// The schemas to which the migrations lead that apply.
    var schemas: [Int] { chain.migrations.map(\.schema) }

    /// The places of states, as patterns, that only the recording has, or only today's states: they cannot be compared.
    var unshared: [String] { filled + unread.map(\.pattern) }

    /// The places of states, as patterns, that got defaults.
    var filled: [String] { defaults.map { "\($0.path)" } }

    /// What a recorded action is today: usually one action, several if it was split, none if it was dropped.
    func actions(_ recorded: Node) throws -> [Node] { try chain.actions(recorded) }

    /// A result of ``migrated(_:)`` in today's form. Costs the whole state if an `init(from:)` converts values.
    ///
    /// - Throws: The app's error of decoding.
    func state(_ migrated: Node) throws -> Node { isConverted ? try app.typed.reencoded(migrated, redactor) : migrated }

    /// A recorded state with migrations and defaults, as today's types read it.
    func migrated(_ recorded: Node) throws -> Node { completed(try chain.state(recorded)) }

    /// A result of ``migrated(_:)`` as today's types write it after they have read it; unchanged but for the fields that
    /// it lacks, if they read what they write as another value.
    ///
    /// - Throws: The errors of ``readable(_:)``.
    mutating func rewritten(_ migrated: Node) throws -> Node {
        let state = try readable(migrated)
        let today = try app.typed.reencoded(state, redactor)
        return FieldComparison(state, today).isEmpty || readsUnchanged(today) ? today : state
    }

    /// Reads a state in today's form, and adds the fields that it lacks.
    ///
    /// - Returns: The state, with the fields that the app's `init(from:)` needs.
    /// - Throws: The app's error of decoding if there is no default for a missing field.
    mutating func readable(_ state: Node) throws -> Node {
        var state = completed(state)
        while true {
            do {
                try app.checkDecodes(state)
                return state
            } catch let error as TreeError {
                guard let path = error.path, let value = try defaultValue(at: path, missingIn: state) else {
                    throw error
                }
                defaults.append((path, value))
                state = completed(state)
            }
        }
    }

    /// Finds the fields of a state in today's form that today's types do not read, and the values that they change.
    ///
    /// - Parameters:
    ///   - state: A result of ``readable(_:)``.
    ///   - today: The same state, decoded and encoded by today's types.
    /// - Returns: Whether there are places that are not compared, or not strictly, and that were not known.
    /// - Throws: `PatternError`.
    @discardableResult
    mutating func findUnread(in state: Node, readAs today: Node) throws -> Bool {
        var comparison = FieldComparison(state, today)
        comparison.remove(hiddenBy: try RedactionMask(redacted + redactor.fieldPatterns))
        var isNew = false
        func add(_ paths: [NodePath], to list: WritableKeyPath<RecordedForm, [NodePath]>) {
            for path in paths {
                let path = keys.generalized(path, in: state)
                if self[keyPath: list].contains(where: { $0.pattern == path.pattern }) { continue }
                self[keyPath: list].append(path)
                isNew = true
            }
        }
        add(comparison.onlyRecorded, to: \.unread)
        add(comparison.nullable, to: \.nullable)
        changed = comparison.changed
        if !changed.isEmpty, readsUnchanged(today) {
            for var change in changed {
                change.path = keys.generalized(change.path, in: state)
                if !conversions.contains(where: { $0.path == change.path }) { conversions.append(change) }
            }
            changed = []
            isConverted = true
        } else if changed.isEmpty, !comparison.onlyToday.isEmpty {
            isConverted = true
        }
        suspects = findSuspects(in: state)
        return isNew
    }

    /// Whether today's types read what they write as the same. An `init(from:)` that reads an old form does.
    private func readsUnchanged(_ today: Node) -> Bool {
        guard let again = try? app.typed.reencoded(today, redactor) else { return false }
        return FieldComparison(today, again).isEmpty
    }

    /// The value of the initial state for a field that is missing.
    private mutating func defaultValue(at path: NodePath, missingIn state: Node) throws -> Node? {
        guard let field = path.components.last else { return nil }
        var node = state
        for component in path.components.dropLast() {
            guard case .object = node, let next = node[component] else { return nil }
            node = next
        }
        guard case .object = node, node[field] == nil else { return nil }
        // The initial value of one key is no default for others.
        if keys.generalized(path, in: state) != path { return nil }
        if initial == nil { initial = try app.typed.encodeInitial(redactor) }
        return initial?[path]
    }

    /// The state with the known defaults, where their fields are missing.
    private func completed(_ state: Node) -> Node {
        var state = state
        for (path, value) in defaults {
            guard let field = path.components.last else { continue }
            state = state.replacing(literally: path.components.dropLast()) { object in
                guard case .object(let members) = object, object[field] == nil else { return object }
                return .object(members + [Node.Member(field, value)])
            }
        }
        return state
    }
}

extension RecordedForm {
    /// A field that recorded states do not have, and the value that it got.
    typealias Default = (path: NodePath, value: Node)

    /// A field that looks as if it had been renamed or moved.
    struct Suspect {
        /// The recorded field, which today's types do not read.
        let unread: NodePath
        /// The place where today's types have it.
        let target: NodePath
        /// Whether it has its name in another object.
        var isMoved: Bool { unread.components.dropLast() != target.components.dropLast() }
    }

    /// The field of a recorded state that looks like an earlier name of another one: today's types do not read it, and it
    /// has the value that the other one has in today's state.
    ///
    /// - Parameters:
    ///   - place: The place of a field in whose value the states differ.
    ///   - value: Its value in today's state.
    ///   - state: The recorded state, a result of ``migrated(_:)`` that decodes.
    /// - Throws: The app's errors of decoding and encoding.
    mutating func suspect(at place: NodePath, with value: Node, in state: Node) throws -> Suspect? {
        let object = Array(place.components.dropLast())
        guard value != .null, case .object(let members)? = state[NodePath(object)] else { return nil }
        let same = members.map { NodePath(object + [$0.key]) }.filter {
            $0 != place && state[$0]?.isEquivalent(to: value) == true
        }
        if same.isEmpty { return nil }
        let unread = FieldComparison(state, try app.typed.reencoded(state, redactor)).onlyRecorded.map {
            keys.generalized($0, in: state)
        }
        return same.first { unread.contains(keys.generalized($0, in: state)) }.map {
            Suspect(unread: $0, target: place)
        }
    }

    /// The fields that are missing in an object that has fields which are not read, or that are elsewhere.
    private func findSuspects(in state: Node) -> [Suspect] {
        let found = defaults.map { findMoves(to: $0, in: state) }
        let used = Set(found.joined().map(\.unread))
        let missing = zip(defaults, found).filter(\.1.isEmpty).map(\.0)
        return found.joined() + findRenames(to: missing, from: unread.filter { !used.contains($0) }, in: state)
    }

    /// The fields that are now inside a missing object, or the one that is now the missing field.
    private func findMoves(to missing: Default, in state: Node) -> [Suspect] {
        let object = missing.path.components.dropLast()
        let name = missing.path.components.last ?? ""
        let moved = unread.compactMap { path -> Suspect? in
            guard path.components.dropLast() == object, let field = path.components.last else { return nil }
            return missing.value[field] == nil ? nil : Suspect(unread: path, target: missing.path.appending(field))
        }
        if !moved.isEmpty { return moved }
        // It may have been in another object, of which all or only the field is not read.
        let elsewhere = unread.lazy.compactMap { path -> NodePath? in
            if path.components.last == name { return path.components.dropLast() == object ? nil : path }
            return state[path]?[name] == nil ? nil : path.appending(name)
        }
        guard let path = elsewhere.first(where: { state[$0]?.hasSameKind(as: missing.value) == true }) else {
            return []
        }
        return [Suspect(unread: path, target: missing.path)]
    }

    /// The fields that could be a missing one of the same object under an earlier name, each for one at most: those of
    /// the same kind first, then those with the most similar name.
    private func findRenames(to missing: [Default], from unread: [NodePath], in state: Node) -> [Suspect] {
        let pairs = missing.enumerated().flatMap { number, missing in
            let (object, name) = (missing.path.components.dropLast(), missing.path.components.last ?? "")
            return unread.filter { $0.components.dropLast() == object }.map { path in
                let isSameKind = state[path]?.hasSameKind(as: missing.value) == true
                let distance = (path.components.last ?? "").distance(to: name)
                return (number, path, rank: (isSameKind ? 0 : 1, distance, number))
            }
        }
        var (renamed, used): ([Int: Suspect], Set<NodePath>) = ([:], [])
        for (number, path, _) in pairs.sorted(by: { $0.rank < $1.rank }) where renamed[number] == nil {
            guard used.insert(path).inserted else { continue }
            renamed[number] = Suspect(unread: path, target: missing[number].path)
        }
        return renamed.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension Node {
    /// Whether both are texts, numbers, Booleans, objects or arrays.
    fileprivate func hasSameKind(as other: Node) -> Bool {
        switch (self, other) {
        case (.string, .string), (.bool, .bool), (.object, .object), (.array, .array): true
        case (.int, .int), (.number, .number), (.int, .number), (.number, .int): true
        default: false
        }
    }
}

extension NodePath {
    /// The path with `*` in place of each index or other number. The 0 and 1 of a pair stay, because a dictionary may be
    /// an array of pairs, whose keys and values have fields of their own.
    var pattern: String {
        var names: [String] = []
        for name in components {
            let isPart = names.last == "*" && (name == "0" || name == "1")
            names.append(!isPart && !name.isEmpty && name.allSatisfy(\.isWholeNumber) ? "*" : name)
        }
        return "\(NodePath(names))"
    }
}

extension String {
    /// How much a name differs from another one: the letters that only one of them has, roughly.
    func distance(to name: String) -> Int { Array(self).difference(from: Array(name)).count }
}

extension ReplayableApp {
    /// Decodes a state. An array that today's types read as a dictionary does not decode, even if its elements could be
    /// keys and values in turn: no recorder writes a dictionary so.
    func checkDecodes(_ state: Node) throws {
        func decode<App: TypedApp>(_ app: App) throws { _ = try NodeDecoder().decode(App.StateValue.self, from: state) }
        try decode(typed)
        guard let place = DictionaryKeys(self).misreadArrays(in: state).first else { return }
        throw TreeError(.notDecodable, at: place, "expected a dictionary, found an array")
    }
}

extension TypedApp {
    /// Decodes and encodes a state.
    func reencoded(_ state: Node, _ redactor: Redactor?) throws -> Node {
        try NodeEncoder(redactor: redactor).encode(NodeDecoder().decode(StateValue.self, from: state))
    }

    /// Decodes and encodes an action.
    func reencoded(action: Node) throws -> Node { try actions.encode(actions.decode(action)) }
}
