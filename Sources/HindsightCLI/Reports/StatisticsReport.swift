import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Prints counts, times and sizes as tables.
struct StatisticsReport: ToolReport {
    let recording: Recording
    let statistics: Statistics
    let tool: Tool

    /// The number of rows of a table.
    static let most = 20
    private static let widestName = 48

    func print(listsAll: Bool) {
        let most = listsAll ? Int.max : Self.most
        console.print(summary)
        for line in remarks { console.print(faint: line) }
        if statistics.actions == 0 { return }
        printTypes(most)
        printReducers(most)
        printPaths(most)
        printGrowth(most)
        printHistogram()
    }

    private var summary: String {
        let durations = statistics.durations
        var text = Quantities.counted(statistics.actions, "action")
        if durations.count > 0 {
            text += ", \(Quantities.duration(nanoseconds: durations.total)) in reducers"
            text += " (median \(time(durations.median)), p99 \(time(durations.p99))"
            text += ", longest \(time(durations.longest)))"
        }
        return text
    }

    /// What is not in the numbers.
    private var remarks: [String] {
        var lines: [String] = []
        if statistics.unfinished > 0 {
            lines.append("\(Quantities.counted(statistics.unfinished, "action")) did not finish.")
        }
        if statistics.unknown > 0 {
            let actions = Quantities.counted(statistics.unknown, "action")
            lines.append("Not known: what \(actions) changed; it is in no number.")
        }
        if statistics.bridged > 0 {
            let actions = Quantities.counted(statistics.bridged, "action")
            lines.append("What \(actions) changed is known only together; it is counted under paths alone.")
        }
        return lines
    }

    // MARK: Tables

    private func printTypes(_ most: Int) {
        let rows = statistics.types.map { type in
            [name(type.type), Quantities.grouped(type.count), share(type.changing, of: type.known)]
                + times(of: type.durations) + [Quantities.bytes(type.changeBytes)]
        }
        print("action types", ["count", "changing", "median", "p99", "total", "changes"], rows, most)
    }

    private func printReducers(_ most: Int) {
        let idle = statistics.reducers.filter { $0.changing == 0 && $0.durations.count > 0 }
        let rows = statistics.reducers.filter { $0.durations.count > 0 }.map { reducer in
            [
                "\(reducer.number) \(name(reducer.name))", Quantities.grouped(reducer.durations.count),
                share(reducer.changing, of: reducer.durations.count),
            ] + times(of: reducer.durations) + [Quantities.bytes(reducer.changeBytes)]
        }
        print("reducers", ["runs", "changing", "median", "p99", "total", "changes"], rows, most)
        if idle.isEmpty { return }
        let names = Quantities.list(idle.map { name($0.name) }, most: most)
        console.print("  never changed anything: \(names)", hanging: 4)
    }

    private func printPaths(_ most: Int) {
        let rows = statistics.paths.map { path in
            let writers = path.reducers.prefix(3).map { name(recording.name(ofReducer: $0) ?? "\($0)") }
            let more = path.reducers.count > 3 ? " +\(path.reducers.count - 3)" : ""
            return [
                path.path.isEmpty ? "(the whole state)" : Self.clipped(escape(path.path)),
                Quantities.grouped(path.operations), Quantities.bytes(path.changeBytes),
                writers.joined(separator: ", ") + more,
            ]
        }
        print("paths", ["operations", "changes", "by"], rows, most, leftAligned: [3])
        if statistics.otherOperations > 0 {
            console.print("  and \(Quantities.counted(statistics.otherOperations, "operation")) at other paths")
        }
    }

    private func printGrowth(_ most: Int) {
        guard let first = statistics.sizes.first, let last = statistics.sizes.last, statistics.sizes.count > 1 else {
            return
        }
        let sizes = statistics.sizes.map(\.bytes)
        var rows = [
            ["the state", Quantities.bytes(first.bytes), Quantities.bytes(last.bytes), "", Self.sparkline(sizes)]
        ]
        rows += statistics.growth.map { growth in
            let isText = growth.unit == .bytes
            let texts = [growth.counts.first ?? 0, growth.counts.last ?? 0].map {
                isText ? Quantities.bytes($0) : Quantities.grouped($0)
            }
            let unit = isText ? "of text" : growth.unit.rawValue
            let path = growth.path.isEmpty ? "(the whole state)" : Self.clipped(escape(growth.path))
            return [path, texts[0], texts[1], unit, Self.sparkline(growth.counts)]
        }
        let title = rows.count == 1 ? "no array, object or long text grew" : "what grew"
        print(title, ["at \(first.position)", "at \(last.position)", "", ""], rows, most, leftAligned: [3, 4])
    }

    private func printHistogram() {
        let bins = statistics.durations.histogram
        guard statistics.durations.count >= 10, bins.count > 1 else { return }
        let rows = bins.map { bin in
            let range =
                bin.from == 0
                ? "0 ns"
                : "\(Quantities.duration(nanoseconds: bin.from)) up to \(Quantities.duration(nanoseconds: bin.to))"
            return [range, Quantities.grouped(bin.count)]
        }
        var table = Table(rows, rightAligned: [0, 1])
        let room = max(8, min(40, console.terminal.width - table.widths[0] - table.widths[1] - 6))
        table.widths.append(room)
        let largest = bins.map(\.count).max() ?? 1
        console.print()
        console.print(console.style.strong("time of an action"))
        for (row, bin) in zip(rows, bins) {
            let bar = Self.bar(bin.count, of: largest, room: room)
            console.print("  " + table.line(row + [bar]).trimmed)
        }
    }

    /// Prints rows with their first column on the left, and the others on the right.
    private func print(
        _ title: String,
        _ heads: [String],
        _ rows: [[String]],
        _ most: Int,
        leftAligned: Set<Int> = []
    ) {
        if rows.isEmpty { return }
        let shown = Array(rows.prefix(most))
        let right = Set(1...heads.count).subtracting(leftAligned)
        let table = Table([[""] + heads] + shown, least: title.columns - 2, rightAligned: right)
        func line(_ cells: [String]) -> String { "  " + table.line(cells).trimmed }
        console.print()
        let heading = line([""] + heads).dropFirst(title.columns)
        console.print(console.style.strong(title) + console.style.faint(String(heading)), hanging: 2)
        for cells in shown { console.print(line(cells), hanging: 4) }
        if rows.count > most {
            console.print(faint: "  … and \(Quantities.grouped(rows.count - most)) more; --all lists them")
        }
    }

    // MARK: Cells

    private func times(of durations: Durations) -> [String] {
        if durations.count == 0 { return ["-", "-", "-"] }
        return [time(durations.median), time(durations.p99), Quantities.duration(nanoseconds: durations.total)]
    }

    private func time(_ nanoseconds: Int64?) -> String {
        nanoseconds.map { Quantities.duration(nanoseconds: $0) } ?? "-"
    }

    /// A count and its share: `12 (18 %)`.
    private func share(_ part: Int, of all: Int) -> String {
        if all == 0 { return "-" }
        let percent = Double(part) * 100 / Double(all)
        let text =
            part == 0 || part == all || percent >= 1 && percent <= 99
            ? "\(Int(percent.rounded()))" : percent < 1 ? "<1" : ">99"
        return "\(Quantities.grouped(part)) (\(text) %)"
    }

    private func name(_ name: String) -> String { Self.clipped(brief(name, longest: Self.widestName)) }

    private static func clipped(_ text: String) -> String { text.clipped(to: widestName) }

    /// `▁▃▅█`: each number beside the largest.
    static func sparkline(_ numbers: [Int]) -> String {
        let levels = Array("▁▂▃▄▅▆▇█")
        let largest = max(1, numbers.max() ?? 1)
        return String(numbers.map { levels[min(7, max(0, Int(Double($0) / Double(largest) * 7.999)))] })
    }

    /// A bar of at least the thinnest block, if there is anything.
    static func bar(_ count: Int, of largest: Int, room: Int) -> String {
        if count == 0 { return "" }
        let eighths = max(1, Int((Double(count) / Double(max(1, largest)) * Double(room * 8)).rounded()))
        let rest = eighths % 8
        let blocks = Array("▏▎▍▌▋▊▉")
        return String(repeating: "█", count: eighths / 8) + (rest == 0 ? "" : String(blocks[rest - 1]))
    }
}
