import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

/// Encodes an action for the journal.
///
/// One thread at a time may describe.
final class ActionDescriber<ActionValue: Sendable> {
    private let codec: ActionCodec<ActionValue>
    private let encoder: TextEncoder
    private let redactor: Redactor

    init(_ codec: ActionCodec<ActionValue>, hiding redactor: Redactor) {
        self.codec = codec
        self.redactor = redactor
        encoder = TextEncoder(redactor: redactor)
    }

    /// Describes an action. If it cannot be encoded, `problem` is a `RecordingError`, and the description has its text.
    func describe(_ action: ActionValue, _ context: ActionContext, _ problem: inout (any Error)?) -> DispatchedAction {
        do {
            let outline = try codec.write(action, encoder)
            let type = (codec.isDescribed ? nil : outline.caseName) ?? codec.typeName(of: action, as: outline)
            let types = encoder.typesWithoutCoding
            let problem = types.isEmpty ? nil : DescriptionText.text(of: types)
            return DispatchedAction(context, type: type, payload: encoder.text, problem: problem)
        } catch {
            let type = codec.typeName(of: action, as: .other)
            let found = self.problem(error, of: type, context)
            if codec.describesFailures { return describe(action, context, because: found.summary) }
            problem = found
            return DispatchedAction(context, type: type, problem: found.summary)
        }
    }

    /// Describes an action by reflection: an enum as its case, and anything else, or what is registered, as
    /// `{"Type": {…}}`.
    ///
    /// - Parameter reason: Why the action cannot be encoded, if its types do not tell.
    @inline(never)
    private func describe(_ action: ActionValue, _ context: ActionContext, because reason: String) -> DispatchedAction {
        let registered = codec.registeredName(action)
        let name = registered ?? ValueDescription.name(of: type(of: action as Any))
        let key = registered == nil && ValueDescription.isCase(action) ? nil : name
        let description = ValueDescription(of: action, under: key, redactor: redactor)
        return DispatchedAction(
            context,
            type: key ?? description.node.outline.caseName ?? name,
            payload: description.node.json,
            problem: description.types.isEmpty ? reason : DescriptionText.text(of: description.types)
        )
    }

    @inline(never)
    private func problem(_ error: any Error, of type: String, _ context: ActionContext) -> RecordingError {
        var problem = error as? RecordingError ?? RecordingError(.unencodableAction, cause: error)
        problem.type = problem.type ?? type
        problem.seq = context.seq
        problem.path = problem.path ?? (error as? TreeError)?.path
        return problem.withoutValues(redactor)
    }

    /// Why the redacted action cannot be run again; `nil` if it can.
    func decodingFailure(of action: DispatchedAction) -> RecordingError? {
        guard let payload = action.payload, action.problem == nil else { return nil }
        do {
            _ = try codec.decode(try Node(json: payload))
            return nil
        } catch {
            return RecordingError(
                .unfitPlaceholder,
                seq: action.seq,
                type: action.type,
                path: (error as? TreeError)?.path,
                cause: error
            )
        }
    }
}

extension DispatchedAction {
    /// Combines the store's facts about an action with the action itself.
    init(_ context: ActionContext, type: String, payload: String? = nil, problem: String? = nil) {
        self.init(
            seq: context.seq,
            parent: context.parent,
            adopted: context.adopted,
            type: type,
            payload: payload,
            at: SystemClock.wall,
            origin: context.origin.file.isEmpty ? nil : context.origin,
            problem: problem
        )
    }

    /// Describes time travel to the state after an action, or to a given state.
    init(travelTo seq: Int?, _ context: ActionContext) {
        self.init(context, type: Schema.travelType, problem: TravelText.text(to: seq))
    }
}

extension ActionCodec {
    /// The short name of an action: the key of a node that looks like an enum case, the text of a raw string, the name
    /// under which the Swift type is registered, or that of the type.
    func typeName(of action: ActionValue, as outline: NodeOutline) -> String {
        let described = isDescribed ? (action as? any DescribedValue)?.described : nil
        // The description of a struct with one property looks like a case, too.
        let isCase = described.map(ValueDescription.isCase) ?? true
        if isCase, let name = outline.caseName { return name }
        if case .member(let key, _) = outline, knownTypes.contains(key) { return key }
        // `Any` unwraps an existential, so that the type is that of its value.
        return registeredName(action) ?? "\(type(of: described ?? action as Any))"
    }

    /// The node and the type of an action as a recorder would write them.
    ///
    /// - Throws: The error of decoding or of encoding.
    package func described(_ node: Node, hiding redactor: Redactor?) throws -> (node: Node, type: String) {
        let action = try decode(node)
        let written = try encode(action, hiding: redactor)
        return (written, typeName(of: action, as: written.outline))
    }
}
