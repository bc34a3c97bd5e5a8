import Testing

@testable import HindsightStore

@Suite struct EffectTableTests {
    @Test func `A new effect takes over the id of the running one`() {
        var table = EffectTable<String>()
        let first = table.begin(id: HashableKey("a"))
        table.attach("first", to: first.run)
        let second = table.begin(id: HashableKey("a"))
        table.attach("second", to: second.run)
        #expect(first.replaced == nil)
        #expect(second.replaced == "first")
        table.end(first.run)
        #expect(table.cancel(id: HashableKey("a")) == "second")
        #expect(table.cancel(id: HashableKey("a")) == nil)
    }

    @Test func `Ids of different types differ`() {
        var table = EffectTable<String>()
        table.attach("number", to: table.begin(id: HashableKey(1)).run)
        #expect(table.begin(id: HashableKey("1")).replaced == nil)
        #expect(table.cancel(id: HashableKey(1)) == "number")
    }

    @Test func `A cancelled effect counts as running until it has ended`() {
        var table = EffectTable<String>()
        let run = table.begin(id: nil).run
        table.attach("a", to: run)
        #expect(table.cancelAll() == ["a"])
        #expect(table.cancelAll().isEmpty)
        #expect(!table.isEmpty)
        table.end(run)
        #expect(table.isEmpty)
    }

    @Test func `Equal numbers of different types are different ids`() {
        var table = EffectTable<String>()
        table.attach("Int", to: table.begin(id: HashableKey(1)).run)
        #expect(table.begin(id: HashableKey(UInt8(1))).replaced == nil)
        #expect(table.begin(id: HashableKey(1.0)).replaced == nil)
        #expect(table.cancel(id: HashableKey(1)) == "Int")
    }
}
