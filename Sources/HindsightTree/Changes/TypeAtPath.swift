/// Tells what type a part of a value has, for messages.
package enum TypeAtPath {
    /// The name of the type of the value at `path`, or, if that is inside a collection, or its type is not known, of the
    /// last value on the way there whose type is.
    ///
    /// Asks the values on the way what they hold, through their `encode(to:)`.
    package static func name<T: Encodable>(_ path: NodePath, in value: T) -> String {
        String(reflecting: type(at: path.components[...], in: value))
    }

    static func type<T: Encodable>(at path: ArraySlice<String>, in value: T) -> Any.Type {
        guard let name = path.first else { return T.self }
        switch TypeTraits.of(T.self).kind {
        case .leaf, .collection:
            return T.self
        case .other, .instance:
            let shape = Shape(session: CodingSession(), isShallow: true)
            // What a value says before it fails is as much as there is to know.
            do { try value.encode(to: shape) } catch { return T.self }
            if shape.form == .single, let field = shape.items.first?.field { return field.type(at: path) }
            let field = shape.items.first { $0.key.hasSameScalars(as: name) }?.field
            return field?.type(at: path.dropFirst()) ?? T.self
        }
    }
}

extension Shape.Item {
    fileprivate var field: AnyField? { if case .field(let field) = content { field } else { nil } }
}
