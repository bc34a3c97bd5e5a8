import Testing

@testable import HindsightCLI

@Suite struct TableTests {
    private let rows = [["a", "1", "", "x"], ["bbb", "22", "", "yy"]]

    @Test func `Columns are as wide as their widest cell, and the last one has no spaces after it`() {
        let table = Table(rows, rightAligned: [1])
        #expect(rows.map { table.line($0) } == ["a     1    x", "bbb  22    yy"])
    }

    @Test func `Columns without text can be left out`() {
        var table = Table(rows)
        table.dropsEmptyColumns = true
        #expect(rows.map { table.line($0) } == ["a    1   x", "bbb  22  yy"])
    }

    @Test func `A column has a greatest width, the first one a least, and longer cells stay as they are`() {
        let table = Table([["a", "bbbbb"], ["a", "b"]], most: 3, least: 2)
        #expect(table.widths == [2, 3])
        #expect(table.line(["aaaa", "b"]) == "aaaa  b")
    }

    @Test func `Spaces stand outside the colours, and wide characters count twice`() {
        let table = Table([["語", ""], ["abc", ""]], rightAligned: [0])
        #expect(table.line(["語", "z"]) { $0 == 0 ? "<\($1)>" : $1 } == " <語>  z")
    }
}
