import Foundation
import Testing

@testable import HindsightInit

@Suite struct ManifestTextTests {
    private static let new = ".target(name: \"New\")"

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let before: String
        /// `nil` if the manifest has no list that can be extended.
        let after: String?
    }

    private static let cases = [
        Case(
            testDescription: "a trailing comma",
            before: """
                let package = Package(
                    name: "A",
                    targets: [
                        .target(name: "A"),
                    ]
                )
                """,
            after: """
                let package = Package(
                    name: "A",
                    targets: [
                        .target(name: "A"),
                        .target(name: "New"),
                    ]
                )
                """
        ),
        Case(
            testDescription: "no trailing comma, and comments after the last target",
            before: """
                let package = Package(
                    name: "A",
                    targets: [
                        .target(name: "A") // the app, [with a bracket
                        /* and more ] */
                    ]
                )
                """,
            after: """
                let package = Package(
                    name: "A",
                    targets: [
                        .target(name: "A"), // the app, [with a bracket
                        /* and more ] */
                        .target(name: "New"),
                    ]
                )
                """
        ),
        Case(
            testDescription: "an empty list in the line",
            before: "  let p = Package(name: \"A\", targets: [])\n",
            after: "  let p = Package(name: \"A\", targets: [\n      .target(name: \"New\"),\n  ])\n"
        ),
        Case(
            testDescription: "targets in one line",
            before: "Package(name: \"A\", targets: [.target(name: \"A\")])",
            after: "Package(name: \"A\", targets: [.target(name: \"A\"),\n    .target(name: \"New\"),\n])"
        ),
        Case(
            testDescription: "targets of products come first",
            before: "Package(products: [.library(name: \"A\", targets: [\"A\"])], targets: [])",
            after:
                "Package(products: [.library(name: \"A\", targets: [\"A\"])], targets: [\n    .target(name: \"New\"),\n])"
        ),
        Case(
            testDescription: "brackets and labels in strings and comments",
            before: """
                // Package(targets: [])
                /* Package( /* nested */ targets: [ */
                let text = ##"Package("#targets: ["##
                let more = \"""
                    Package(targets: ["
                    \"""
                let package = Package(name: "]\\(")" + "[")\\"", targets: [/* ] */ .target(name: "]"), // ]
                ])
                """,
            after: """
                // Package(targets: [])
                /* Package( /* nested */ targets: [ */
                let text = ##"Package("#targets: ["##
                let more = \"""
                    Package(targets: ["
                    \"""
                let package = Package(name: "]\\(")" + "[")\\"", targets: [/* ] */ .target(name: "]"), // ]
                    .target(name: "New"),
                ])
                """
        ),
        Case(
            testDescription: "a manifest without targets",
            before: """
                let package = Package(
                    name: "A",
                    dependencies: [
                        .package(path: "../hindsight")
                    ]
                )
                """,
            after: """
                let package = Package(
                    name: "A",
                    dependencies: [
                        .package(path: "../hindsight")
                    ],
                    targets: [
                        .target(name: "New"),
                    ]
                )
                """
        ),
        Case(
            testDescription: "a manifest without targets, but with what comes after them",
            before: """
                let package = Package(
                    name: "A",
                    dependencies: [.package(path: "../hindsight")],
                    swiftLanguageModes: [.v6]
                )
                """,
            after: """
                let package = Package(
                    name: "A",
                    dependencies: [.package(path: "../hindsight")],
                    targets: [
                        .target(name: "New"),
                    ],
                    swiftLanguageModes: [.v6]
                )
                """
        ),
        Case(
            testDescription: "targets in a variable",
            before: "let all: [Target] = []\nlet package = Package(name: \"A\", targets: all)",
            after: nil
        ),
        Case(testDescription: "no package", before: "import PackageDescription\n", after: nil),
        Case(
            testDescription: "an unfinished call",
            before: "let package = Package(name: \"A\", targets: [",
            after: nil
        ),
        Case(testDescription: "an unfinished string", before: "let package = Package(name: \"A", after: nil),
    ]

    @Test(arguments: cases)
    func `targets are added at the end of the list`(example: Case) {
        #expect(ManifestText(example.before).adding(targets: [Self.new])?.text == example.after)
    }

    @Test func `targets of several lines are indented as the list is`() {
        let manifest = ManifestText("Package(\n\ttargets: [\n\t\t.target(name: \"A\")\n\t]\n)")
        let targets = [".target(\n    name: \"B\"\n)", ".target(name: \"C\")"]
        let expected = """
            Package(
            \ttargets: [
            \t\t.target(name: "A"),
            \t    .target(
            \t        name: "B"
            \t    ),
            \t    .target(name: "C"),
            \t]
            )
            """
        #expect(manifest.adding(targets: targets)?.text == expected)
    }

    @Test func `this package's own manifest is extended at the end of its list`() throws {
        let place = URL(filePath: #filePath).appending(path: "../../../Package.swift").standardizedFileURL
        let text = try String(contentsOf: place, encoding: .utf8)
        let extended = try #require(ManifestText(text).adding(targets: [Self.new])?.text)
        let added = try #require(extended.range(of: "        \(Self.new),\n"))
        #expect(extended[..<added.lowerBound] + extended[added.upperBound...] == text)
        #expect(extended[added.upperBound...].hasPrefix("    ]\n)\n"))
    }

    @Test func `any beginning of a manifest is read without a trap`() {
        for example in Self.cases {
            let bytes = Array(example.before.utf8)
            for count in 0...bytes.count {
                _ = ManifestText(String(decoding: bytes[..<count], as: UTF8.self)).adding(targets: [Self.new])
            }
        }
    }
}
