import HindsightFormat
import HindsightSupport
import HindsightTree

/// Maps names to action types, for stores whose `ActionValue` is an existential.
///
/// ```swift
/// var actions = ActionRegistry<any CheckoutAction>()
/// actions.register(AddItem.self) { $0 }
/// actions.register(SetCoupon.self, as: "CouponSet") { $0 }
/// let recorder = try Recorder<Checkout, any CheckoutAction>(to: url, app: app, actions: actions.codec)
/// ```
///
/// A recorded action is `{"AddItem": {…}}`. Do not change a name that is in recordings. If you must, register the type
/// under its new name first, and then under the old one: the first is written, and both are read.
public struct ActionRegistry<ActionValue: Sendable>: Sendable {
    private var encoders: [ObjectIdentifier: @Sendable (ActionValue, Redactor?) throws -> Node] = [:]
    private var writers: [ObjectIdentifier: @Sendable (ActionValue, TextEncoder) throws -> NodeOutline] = [:]
    private var decoders: [String: @Sendable (Node) throws -> ActionValue] = [:]
    private var names: [String] = []
    /// The name that is written for each type.
    private var writtenNames: [ObjectIdentifier: String] = [:]

    /// Creates a registry without types.
    public init() {}

    /// Adds an action type.
    ///
    /// - Parameters:
    ///   - type: The type. Subclasses are not included.
    ///   - name: The type's name in recordings. Registering a name twice is a programmer error.
    ///   - embed: Converts a value to the store's action; `{ $0 }` for an existential.
    public mutating func register<T: Codable & Sendable>(
        _ type: T.Type,
        as name: String = "\(T.self)",
        embed: @escaping @Sendable (T) -> ActionValue
    ) {
        require(decoders[name] == nil, "Two action types are registered as \(name). Give one another name.")
        names.append(name)
        decoders[name] = { try embed(NodeDecoder().decode(T.self, from: $0)) }
        let key = ObjectIdentifier(type)
        guard encoders[key] == nil else { return }
        writtenNames[key] = name
        @Sendable func value(of action: ActionValue) throws -> T {
            guard let value = action as? T else {
                throw RecordingError(.unregisteredAction, type: "\(T.self)", allowed: [name])
            }
            return value
        }
        encoders[key] = { action, redactor in
            .object([Node.Member(name, try NodeEncoder(redactor: redactor).encode(value(of: action), as: name))])
        }
        writers[key] = { try $1.encode(value(of: $0), under: name) }
    }

    /// A codec for the types that are registered so far.
    ///
    /// For other types, encoding throws a `RecordingError` with the code `unregisteredAction`, and decoding one with
    /// the code `unknownAction`.
    public var codec: ActionCodec<ActionValue> {
        @Sendable func find<Found>(_ action: ActionValue, in table: [ObjectIdentifier: Found]) throws -> Found {
            let type = type(of: action as Any)
            guard let found = table[ObjectIdentifier(type)] else {
                throw RecordingError(.unregisteredAction, type: "\(type)", allowed: names)
            }
            return found
        }
        return ActionCodec(
            encode: { [encoders] in try find($0, in: encoders)($0, $1) },
            write: { [writers] in try find($0, in: writers)($0, $1) },
            decode: { [decoders, names] node in
                guard case .object(let members) = node, members.count == 1, let member = members.first else {
                    throw RecordingError(.unknownAction, allowed: names)
                }
                guard let decode = decoders[member.key] else {
                    throw RecordingError(.unknownAction, type: member.key, allowed: names)
                }
                return try decode(member.value)
            },
            knownTypes: names,
            registeredName: { [writtenNames] in writtenNames[ObjectIdentifier(type(of: $0 as Any))] }
        )
    }
}
