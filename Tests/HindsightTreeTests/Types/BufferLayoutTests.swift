import Foundation
import Testing

@testable import HindsightTree

@Suite(.enabled(if: TypeMetadata.isRead)) struct BufferLayoutTests {
    private struct Inner {
        var flag: Bool
        var numbers: [Int]
    }
    private struct State {
        var count = 0
        var items: [UInt32] = []
        var names: [String: Int] = [:]
        var text = ""
        var inner = Inner(flag: true, numbers: [])
        var pair: (Int8, ContiguousArray<Int16>) = (1, [])
        var ids: Set<Int> = []
    }
    private enum Screen { case home, list([Int]) }
    private struct Plain {
        var isOn: Bool?
        var id: UUID
    }

    private func bytes(_ places: BufferLayout, _ state: State, _ last: inout [UInt]) -> Int {
        withUnsafePointer(to: state) { places.bytes(ofValueAt: $0, beyond: &last) }
    }

    @Test func `A changed value counts with the memory that it does not share with the previous one`() {
        let places = BufferLayout(of: State.self)
        #expect(places.isComplete)
        var last: [UInt] = []
        var state = State()
        _ = bytes(places, state, &last)
        #expect(bytes(places, state, &last) == 0)
        state.count = 7
        state.inner.flag = false
        #expect(bytes(places, state, &last) == 0)
        state.items = Array(repeating: 1, count: 1_000)
        #expect(bytes(places, state, &last) == 4_000)
        let kept = state
        state.items[3] = 2
        #expect(bytes(places, state, &last) == 4_000)
        state.inner.numbers = Array(0..<10)
        state.pair.1 = [1, 2, 3]
        #expect(bytes(places, state, &last) == 86)
        state.text = String(repeating: "x", count: 500)
        #expect(bytes(places, state, &last) == 500)
        state.text = "short"
        #expect(bytes(places, state, &last) == 0)
        state.names = Dictionary(uniqueKeysWithValues: (0..<100).map { ("\($0)", $0) })
        state.ids = Set(0..<100)
        let most = 2 * 100 * (24 + 8) * 2
        #expect((100 * (24 + 8)...most).contains(bytes(places, state, &last)))
        withExtendedLifetime(kept) {}
    }

    @Test func `Memory that cannot be measured is reported`() {
        #expect(!BufferLayout(of: Screen.self).isComplete)
        #expect(!BufferLayout(of: (Int, any Sendable).self).isComplete)
        #expect(BufferLayout(of: Plain.self).isComplete)
        #expect(BufferLayout(of: Int.self).isComplete)
    }
}
