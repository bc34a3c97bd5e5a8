#if Archive
    import HindsightArchive
    import HindsightSupport
    import HindsightTree

    /// `hindsight archive token URL`
    enum ArchiveTokenCommand: Command {
        static let app = Option<String>(
            "app",
            value: "NAME",
            expected: "the name of one app",
            help: "Make a token with which this app's recordings are taken, and print it."
        ) { isName($0) ? $0 : nil }
        static let installation = Option<String>(
            "installation",
            value: "ID",
            expected: "a name",
            help: "With --app: only recordings of this installation, or of none."
        ) { isName($0) ? $0 : nil }
        static let remove = Option<Int>(
            "remove",
            value: "NUMBER",
            expected: "the number of a token",
            help: "Remove a token. What is on its way with it goes."
        ) { Int($0) }

        /// Not of all apps: a token is for one.
        private static func isName(_ text: String) -> Bool {
            1...255 ~= text.utf8.count && text != "*"
                && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }

        static let syntax = Syntax(
            "archive token",
            abstract: "Lists, makes and removes the tokens with which devices send recordings",
            discussion: """
                A device sends recordings to archive receive with a token: one that all installations of an app have, or
                one of an installation. A token that is in an app is no secret for its users: it only lets recordings of
                the app come in, and reads nothing. Whoever has it can fill what archive receive takes of the app. A token is
                shown once, when it is made; the archive keeps its hash. To make one, you need the role of the archive's owner.

                \(ArchiveArguments.discussion)
                """,
            arguments: [ArchiveArguments.url, app, installation, remove, ArchiveArguments.timeout],
            examples: [
                "archive token postgres://db/fleet --app shop": "A token of an app.",
                "archive token postgres://db/fleet --app shop --installation kiosk-7": "A token of one device.",
                "archive token postgres://db/fleet --remove 3": "The devices that have it are refused.",
            ],
            jsonShape: """
                with --app {token}, with --remove {removed}; else an array of {number, app, installation (null for any),
                made (UTC)}
                """
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let asJSON = arguments[GlobalOptions.json]
            let (app, number) = (try arguments[app], try arguments[remove])
            let installation = try arguments[installation]
            try arguments.checkAtMostOne(of: Self.app, remove)
            try arguments.check(Self.installation, needs: Self.app)
            let isList = app == nil && number == nil
            let connection = try ArchiveArguments.connect(arguments, tool, isReadOnly: isList)
            if let app {
                let token = try connection.addToken(app: app, installation: installation)
                asJSON ? tool.console.print(json: ["token": .string(token)]) : tool.console.print(token)
            } else if let number {
                guard try connection.removeToken(number) else {
                    throw Failure(
                        .usage,
                        "The archive has no token \(number).",
                        "\(ShellQuoting.command(tool.name, "archive token", ArchiveArguments.shownURL(arguments))) lists them."
                    )
                }
                asJSON
                    ? tool.console.print(json: ["removed": .int(number)])
                    : tool.console.print("Removed token \(number).")
            } else {
                list(try connection.tokens(), asJSON, tool)
            }
            return .fine
        }

        private static func list(_ tokens: [UploadToken], _ asJSON: Bool, _ tool: Tool) {
            if asJSON { return tool.console.print(answer: tokens) }
            if tokens.isEmpty { return tool.console.note("There are no tokens. --app makes one.") }
            for token in tokens {
                let whose = token.installation.map { " " + brief($0) } ?? ""
                tool.console.print("\(token.number)  \(brief(token.app))\(whose)  made \(token.made ?? "") UTC")
            }
        }
    }
#endif
