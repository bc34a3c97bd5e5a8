/// Types by name, and those that are not `Codable`.
extension ValueDescription {
    /// The name of a type with the types around it, and without its module: `Cart.State`.
    package static func name(of type: Any.Type) -> String {
        var (name, word) = ("", "")
        var isFirst = true
        // Words that points connect are a path. The first of several is the module.
        func end() {
            name += word
            word = ""
        }
        var text = String(reflecting: type)
        // A private type is in a context whose number is another one in each process.
        while let start = text.range(of: "(unknown context at "), let last = text[start.lowerBound...].range(of: ").") {
            text.removeSubrange(start.lowerBound..<last.upperBound)
        }
        for character in text {
            if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
            } else if character == ".", isFirst, !word.isEmpty {
                (word, isFirst) = ("", false)
            } else {
                end()
                name.append(character)
                if character != "." { isFirst = true }
            }
        }
        end()
        return name
    }

    /// The types that keep a type from being `Codable`, the type first, as far as its stored properties and payloads tell.
    ///
    /// Empty if it is `Codable`.
    package static func typesWithoutCoding(in type: Any.Type) -> [String] {
        var (names, visited): ([String], Set<ObjectIdentifier>) = ([], [])
        func visit(_ type: Any.Type) {
            guard visited.insert(ObjectIdentifier(type)).inserted, !(type is any Codable.Type) else { return }
            let metadata = TypeMetadata(type)
            let isOwn = TypeOrigin(of: type) != .library
            // A payload's tuple needs no conformance.
            if metadata.kind == .function || isOwn && metadata.kind != .tuple { names.append(name(of: type)) }
            for argument in metadata.typeArguments ?? [] { visit(argument) }
            if isOwn { for part in metadata.parts ?? [] { part.type.map(visit) } }
        }
        visit(type)
        return names.isEmpty && !(type is any Codable.Type) ? [name(of: type)] : names
    }
}
