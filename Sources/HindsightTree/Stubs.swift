// Placeholders; each is replaced by the file that is named.
extension Node: Hashable {  // Node+Equality.swift
    public static func == (left: Node, right: Node) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
    public func isEquivalent(to other: Node) -> Bool { fatalError() }
}
extension Node.Member: Hashable {
    public static func == (left: Node.Member, right: Node.Member) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
}
extension Node {  // JSONReader.swift, JSONWriter.swift
    public init(json: String) throws { fatalError() }
    public init(jsonBytes: some Collection<UInt8>) throws { fatalError() }
    public var json: String { fatalError() }
    public func prettyJSON(indent: Int = 2) -> String { fatalError() }
    public subscript(path: NodePath) -> Node? { fatalError() }
}
extension Patch {  // Patch+JSON.swift, Patch+Apply.swift, Patch+RFC6902.swift, NodeDiff.swift
    public init(json: String) throws { fatalError() }
    public init(node: Node) throws { fatalError() }
    public var json: String { fatalError() }
    public var node: Node { fatalError() }
    public func apply(to node: inout Node) throws { fatalError() }
    public func undo(on node: inout Node) throws { fatalError() }
    public var inverted: Patch { fatalError() }
    public func rfc6902(base: Node) throws -> Node { fatalError() }
    public init(from old: Node, to new: Node) { fatalError() }
}
