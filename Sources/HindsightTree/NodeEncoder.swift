public struct NodeEncoder: Sendable {
    public init() {}
    public func encode<T: Encodable>(_ value: T) throws -> Node { fatalError() }
}
public struct NodeDecoder: Sendable {
    public init() {}
    public func decode<T: Decodable>(_ type: T.Type, from node: Node) throws -> T { fatalError() }
}
public final class ChangeFinder<Value: Encodable> {
    public init() {}
    public func patch(from old: Value, to new: Value) throws -> Patch { fatalError() }
}
