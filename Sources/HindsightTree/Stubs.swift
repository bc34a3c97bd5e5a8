// Placeholders; each is replaced by the file that is named.
extension Patch {  // Patch+RFC6902.swift, NodeDiff.swift
    public func rfc6902(base: Node) throws -> Node { fatalError() }
    public init(from old: Node, to new: Node) { fatalError() }
}
