/// Tells what type a part of a value has, for messages.
package enum TypeAtPath {
    /// The name of the type of the value at `path`. If that value is inside a collection, or its type is not known,
    /// this is the name of the last type on the path that is known.
    ///
    /// Runs the `encode(to:)` of each value on the path.
    package static func name<T: Encodable>(_ path: NodePath, in value: T) -> String {
        String(reflecting: type(at: path.components[...], in: value))
    }

    static func type<T: Encodable>(at path: ArraySlice<String>, in value: T) -> Any.Type {
        guard let name = path.first else { return T.self }
        switch EncodingTraits.of(T.self) {
        case .leaf, .collection:
            return T.self
        case .other, .instance:
            let fields = FieldEncoder(session: CodingSession(), isLazy: true)
            // The fields that a failing value did encode tell too little.
            do { try value.encode(to: fields) } catch { return T.self }
            if fields.kind == .single, let field = fields.items.first?.field { return field.type(at: path) }
            let field = fields.items.first { $0.key.hasSameScalars(as: name) }?.field
            return field?.type(at: path.dropFirst()) ?? T.self
        }
    }
}

extension FieldEncoder.Item {
    fileprivate var field: AnyField? { if case .field(let field) = content { field } else { nil } }
}
