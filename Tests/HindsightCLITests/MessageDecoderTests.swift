import HindsightTree
import TestSupport
import Testing

@testable import HindsightCLI

@Suite struct MessageDecoderTests {
    private typealias Item = MessageDecoder.Item

    private func items(_ bytes: some Sequence<UInt8>) -> [Item] {
        var decoder = MessageDecoder()
        decoder.append(bytes)
        var items: [Item] = []
        while let item = decoder.next() { items.append(item) }
        return items
    }

    private func isProblem(_ item: Item?) -> Bool { if case .problem = item { true } else { false } }

    @Test func `messages come back from their bytes`() {
        let messages: [Node] = [["seq": 1, "type": "request"], ["text": "é \u{1F381}\r\n\r\nContent-Length: 3"], []]
        let text = messages.map(MessageDecoder.encode).joined()
        #expect(items(text.utf8) == messages.map(Item.message))
    }

    @Test func `other headers, and any case of names, are read`() {
        let text = "content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}"
        #expect(items(text.utf8) == [.message([:])])
    }

    @Test(arguments: [
        "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 1e9\r\n\r\n",
        "Content-Length: 67108865\r\n\r\n", "Content-Type: x\r\n\r\n", "hello\r\n", "\r\n\r\n",
        "Content-Length: 3\r\n\r\n{]}", "Content-Length: 2\r\n\r\n{{",
    ])
    func `what is no message is one problem, and the next message is read`(garbage: String) {
        let next: Node = ["seq": 7]
        let found = items((garbage + MessageDecoder.encode(next)).utf8)
        #expect(found.count == 2, "\(found)")
        #expect(isProblem(found.first), "\(found)")
        #expect(found.last == .message(next), "\(found)")
    }

    @Test func `a header without an end does not fill the memory`() {
        var decoder = MessageDecoder()
        var problems = 0
        for _ in 0..<1000 {
            decoder.append([UInt8](repeating: UInt8(ascii: "a"), count: 1000))
            while let item = decoder.next() { problems += isProblem(item) ? 1 : 0 }
        }
        #expect(problems == 1)
        decoder.append(MessageDecoder.encode(["seq": 1]).utf8)
        #expect(decoder.next() == .message(["seq": 1]))
    }

    @Test(arguments: Seeded.runs(300))
    func `how bytes are cut does not matter, whatever they are`(seed: Seeded) {
        var random = seed
        var bytes: [UInt8] = []
        for _ in 0..<random.below(6) {
            var message = Array(MessageDecoder.encode(["seq": .int(random.below(100)), "command": "threads"]).utf8)
            for _ in 0..<random.below(4) where random.once(in: 2) {
                message[random.below(message.count)] = UInt8(random.below(256))
            }
            if random.once(in: 4) { message.removeLast(random.below(message.count)) }
            bytes += message
        }
        var decoder = MessageDecoder()
        var pieces: [Item] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = 1 + random.below(rest.count)
            decoder.append(rest.prefix(count))
            rest = rest.dropFirst(count)
            while let item = decoder.next() { pieces.append(item) }
        }
        // Problems may be noticed earlier or later; the messages are the same.
        func messages(_ items: [Item]) -> [Item] { items.filter { !isProblem($0) } }
        #expect(messages(pieces) == messages(items(bytes)), "\(seed)")
    }
}
