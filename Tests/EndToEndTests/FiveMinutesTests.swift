import Foundation
import TestSupport
import Testing

/// The pages "A crash, found in five minutes" and "Ten thousand actions, and the four that crash", command by command.
@Suite struct FiveMinutesTests {
    private static func page(_ name: String) -> URL {
        Workshop.package.appending(path: "Sources/HindsightCLI/HindsightCLI.docc/\(name).md")
    }

    /// What the customer did. The last action comes when the recorder has written the states of the others.
    private static let actions = [
        #"{"AddLine":{"sku":"TEA-001","quantity":2}}"#, #"{"AddLine":{"sku":"CUP-014","quantity":4}}"#,
        #"{"AddLine":{"sku":"BOOK-77","quantity":1}}"#, #"{"WrapAsGift":{"sku":"BOOK-77","wrap":true}}"#,
        #"{"ChangeQuantity":{"sku":"CUP-014","quantity":2}}"#, #"{"WrapAsGift":{"sku":"TEA-001","wrap":true}}"#,
        #"{"SetAddress":{"address":{"name":"Åse","street":"Storgata 12 B","city":"Tromsø","postcode":"9008"}}}"#,
        #"{"ChangeQuantity":{"sku":"TEA-001","quantity":0}}"#, #"{"ChooseShipping":{"method":"express"}}"#,
        #"{"ApplyCoupon":{"code":"WELCOME01"}}"#, #"{"ChooseShipping":{"method":"standard"}}"#,
        #"{"ApplyCoupon":{"code":"WELCOME10"}}"#,
    ]

    /// A command of the page, and the lines that the page shows of its output.
    private struct Command {
        let line: String
        var shown: [String] = []
        /// Whether the reducers are the fixed ones.
        let isFixed: Bool
    }

    private static func commands(of name: String) throws -> [Command] {
        var commands: [Command] = []
        var (isInside, isFixed) = (false, false)
        for line in try String(contentsOf: page(name), encoding: .utf8).components(separatedBy: "\n") {
            if line.hasPrefix("## ") { isFixed = line == "## Fix it" || line == "## Other questions" }
            if line.hasPrefix("```") {
                isInside = line == "```console"
            } else if isInside, line.hasPrefix("$ ") {
                commands.append(Command(line: String(line.dropFirst(2)), isFixed: isFixed))
            } else if isInside {
                commands[commands.count - 1].shown.append(line)
            }
        }
        return commands
    }

    private static func squeezed(_ text: some StringProtocol) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func expectedCode(of line: String, isFixed: Bool) -> Int32 {
        switch line.split(separator: " ")[1] {
        case "diff", "whatif", "verify": 1
        case "replay": isFixed ? 0 : 5
        default: 0
        }
    }

    @Test func `The README shows lines of the page, and links to what exists`() throws {
        let readme = try String(contentsOf: Workshop.package.appending(path: "README.md"), encoding: .utf8)
        let page = try String(contentsOf: Self.page("FiveMinutes"), encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(readme.range(of: "```console\n")).upperBound
        let end = try #require(readme[start...].range(of: "```")).lowerBound
        for line in readme[start..<end].split(separator: "\n") { #expect(page.contains(String(line)), "\(line)") }
        for link in readme.matches(of: #/\]\((Sources/[^)]+)\)/#).map({ String($0.output.1) }) {
            #expect(FileManager.default.fileExists(atPath: Workshop.package.appending(path: link).path), "\(link)")
        }
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
    }

    #if os(Linux)
        @Test func `Each command of the page prints what the page shows`() throws {
            let workshop = Workshop()
            // On the page, `hindsight` is the tool of an app whose reducers have the bug.
            let tool = Workshop.built("CheckoutTool").path
            let setup = "mkdir bin && ln -s '\(tool)' bin/hindsight && mkfifo session.jsonl"
            #expect(try workshop.shell(setup).code == 0)
            try workshop.write(Self.actions.joined(separator: "\n") + "\n", to: "actions")
            let written = "hindsight jump crash.hindsight 11 --recorded >written 2>&1"
            let wait = "for i in $(seq 2400); do \(written) && break; sleep 0.05; done"
            let pausing = "(head -n 11 actions; \(wait); tail -n 1 actions) > session.jsonl"
            let path = "export PATH=\"$PWD/bin:$PATH\""
            _ = try workshop.shell("\(path); \(pausing) & hindsight record --input session.jsonl crash.hindsight")

            try Self.run("FiveMinutes", in: workshop)
        }

        @Test func `Each command of the page on few actions prints what the page shows`() throws {
            let workshop = Workshop()
            let tool = Workshop.built("CheckoutTool").path
            #expect(try workshop.shell("mkdir bin Fixtures && ln -s '\(tool)' bin/hindsight").code == 0)
            var random = Seeded(seed: 7)
            var lines = (0..<10_000).map { _ in Self.action(&random) }
            lines.insert(#"{"AddLine":{"sku":"CUP-014","quantity":4}}"#, at: 1)
            lines.insert(#"{"AddLine":{"sku":"TEA-001","quantity":2}}"#, at: 3)
            lines.insert(#"{"ChangeQuantity":{"sku":"TEA-001","quantity":0}}"#, at: 6000)
            lines.append(#"{"ApplyCoupon":{"code":"WELCOME10"}}"#)
            try workshop.write(lines.joined(separator: "\n") + "\n", to: "actions")
            _ = try workshop.shell("bin/hindsight record session.hindsight < actions")
            try Self.run("FewActions", in: workshop)
        }

        /// What a customer may do who cannot decide.
        private static func action(_ random: inout Seeded) -> String {
            switch random.below(4) {
            case 0: #"{"ChangeQuantity":{"sku":"CUP-014","quantity":\#(1 + random.below(4))}}"#
            case 1: #"{"WrapAsGift":{"sku":"CUP-014","wrap":\#(random.once(in: 2))}}"#
            case 2: #"{"ChooseShipping":{"method":"\#(random.pick(["pickup", "standard", "express"]))"}}"#
            default:
                #"{"SetAddress":{"address":{"name":"Åse","street":"Storgata \#(random.below(99))","#
                    + #""city":"Tromsø","postcode":"9008"}}}"#
            }
        }

        /// Runs the commands of a page, and expects what it shows.
        private static func run(_ page: String, in workshop: Workshop) throws {
            let commands = try Self.commands(of: page)
            #expect(commands.count >= 7)
            for command in commands {
                let variant = command.isFixed ? "export CHECKOUT=fixed" : "true"
                let line = "export PATH=\"$PWD/bin:$PATH\"; \(variant); \(command.line) 2>&1"
                let result = try workshop.shell(line, backtraces: true)
                #expect(
                    result.code == Self.expectedCode(of: command.line, isFixed: command.isFixed),
                    "\(command.line): \(result.text)"
                )
                var rest = Self.squeezed(result.text)[...]
                for part in command.shown.flatMap({ $0.split(separator: "…") }) where !Self.squeezed(part).isEmpty {
                    let found = rest.range(of: Self.squeezed(part))
                    #expect(found != nil, "\(command.line) does not print, or prints earlier: \(part)\n\(result.text)")
                    if let found { rest = rest[found.upperBound...] }
                }
            }
        }
    #endif
}
