import Foundation
import Testing

@testable import HindsightTree

@Suite struct DepthTests {
    indirect enum Chain: Codable, Equatable {
        case end
        case link(Chain)
    }

    final class Links: Codable {
        var next: [Links]
        init(next: [Links]) { self.next = next }
    }

    /// Encodes as another value, and adds no level to the node.
    final class Wrapper: Encodable {
        let inner: Wrapper?
        init(_ inner: Wrapper?) { self.inner = inner }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let inner { try container.encode(inner) } else { try container.encode(1) }
        }
    }

    private func chain(_ depth: Int) -> Chain {
        (0..<depth).reduce(.end) { chain, _ in .link(chain) }
    }

    @Test func `A value within the limit is encoded completely`() throws {
        // Each link is an object inside an object.
        let value = chain(TreeLimits.depth / 2 - 2)
        let node = try NodeEncoder().encode(value)
        #expect(try NodeDecoder().decode(Chain.self, from: Node(json: node.json)) == value)
        #expect(node.prettyJSON().count > 100)
        let patch = try ChangeFinder<Chain>().patch(from: value, to: chain(TreeLimits.depth / 2 - 3))
        var changed = node
        try patch.apply(to: &changed)
        #expect(try NodeDecoder().decode(Chain.self, from: changed) == chain(TreeLimits.depth / 2 - 3))
    }

    @Test func `A value of depth 10,000 is refused at the documented limit`() throws {
        let deep = chain(10_000)
        let error = #expect(throws: TreeError.self) { try NodeEncoder().encode(deep) }
        #expect(error?.code == .tooDeep)
        #expect(error?.description.contains("512") == true)
        #expect(throws: TreeError.self) { try ChangeFinder<Chain>().patch(from: .end, to: deep) }
        #expect(throws: TreeError.self) { try ChangeFinder<Chain>().patch(from: deep, to: chain(9_999)) }
        let json = String(repeating: #"{"link":{"_0":"#, count: 10_000) + "1" + String(repeating: "}}", count: 10_000)
        #expect(throws: TreeError.self) { try Node(json: json) }
    }

    @Test func `Depth that does not appear in the node counts too`() throws {
        var wrapper = Wrapper(nil)
        for _ in 0..<5_000 { wrapper = Wrapper(wrapper) }
        let error = #expect(throws: TreeError.self) { try NodeEncoder().encode(wrapper) }
        #expect(error?.code == .tooDeep)
    }

    @Test func `An instance that contains itself is refused instead of followed forever`() throws {
        let loop = Links(next: [])
        loop.next = [loop]
        defer { loop.next = [] }
        #expect(throws: TreeError.self) { try NodeEncoder().encode(loop) }
    }
}
