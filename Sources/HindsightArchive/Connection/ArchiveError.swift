#if Archive
    import CPostgres
    import HindsightSupport

    /// A failure of an archive, or of the connection to it.
    package struct ArchiveError: Error, Sendable, CustomStringConvertible {
        package enum Kind: Sendable, Hashable {
            /// No server answers at the address.
            case unreachable
            /// The server does not let the role in, or does not let it do this.
            case refused
            /// The database has no archive, or something else under its name.
            case notAnArchive
            /// The archive was made by another version of Hindsight.
            case otherVersion
            /// The server's version is too old.
            case tooOld
            /// Nothing came from the server before the deadline.
            case stalled
            /// The connection ended in the middle.
            case dropped
            /// The server has no room left.
            case full
            /// Another session did the same at the same time. Trying again helps.
            case conflict
            /// A chunk of a recording does not match its hash, or is missing.
            case damagedChunk
            /// Another recording has the same ID.
            case otherRecording
            /// The caller interrupted the work.
            case interrupted
            /// Any other error of the server, by its SQLSTATE.
            case server(sqlstate: String)
        }

        package var kind: Kind
        /// What happened, as the server or libpq says it. It is not escaped.
        package var message: String
        /// What to do about it, or what is safe; `nil` if nothing more is known.
        package var advice: String?

        package init(_ kind: Kind, _ message: String, advice: String? = nil) {
            (self.kind, self.message) = (kind, message)
            self.advice = advice ?? Self.advice(for: kind)
        }

        /// Whether trying again, with another connection if need be, may help.
        package var isPassing: Bool { [.unreachable, .stalled, .dropped, .conflict].contains(kind) }

        /// A sentence or two in one or two lines, escaped.
        package var description: String {
            let first = message.split(separator: "\n").prefix(3).map {
                escape(String($0).replacing("\t", with: " "))
            }.joined(separator: " ")
            return advice.map { first + "\n" + escape($0) } ?? first
        }

        private static func advice(for kind: Kind) -> String? {
            switch kind {
            case .unreachable: "Check the address, and that the server runs and lets this machine in."
            case .refused: "Check the role, its password, and the roles of the archive that it is a member of."
            case .notAnArchive: "Run archive init with this address first."
            case .stalled:
                "If the server is busy, --timeout gives it longer. What a push has committed is in the archive, and the same command continues."
            case .dropped: "What was committed is in the archive. Run the same command again to continue."
            case .full:
                "What was committed is in the archive. Free space at the server, and run the same command again."
            case .conflict: "Run the same command again."
            case .interrupted: "What was committed is in the archive."
            case .otherVersion, .tooOld, .damagedChunk, .otherRecording, .server: nil
            }
        }

        /// The kind of an error with a SQLSTATE.
        static func kind(ofState state: String) -> Kind {
            switch state {
            case "42501",
                _ where state.hasPrefix("28"):
                .refused
            case "3D000": .notAnArchive
            case "53100": .full
            case "53300", "57P03": .unreachable
            case "57P01", "57P02", "57P05",
                _ where state.hasPrefix("08"):
                .dropped
            case "40001", "40P01", "55P03": .conflict
            case "57014": .stalled
            default: .server(sqlstate: state)
            }
        }
    }

    extension ArchiveError {
        /// The error that a result has.
        init(_ rows: ArchiveRows) {
            func field(_ code: Int32) -> String? {
                PQresultErrorField(rows.result, code).map { String(cString: $0) }
            }
            let state = field(hindsight_sqlstate_field) ?? ""
            let message = field(hindsight_message_field) ?? String(cString: PQresultErrorMessage(rows.result))
            let detail = field(hindsight_detail_field).map { " " + $0 } ?? ""
            self.init(Self.kind(ofState: state), message + detail)
            advice = field(hindsight_hint_field) ?? advice
        }

        /// The error of a connection that was not made. libpq gives only a text; with the verbosity `VERBOSE`, each
        /// server's error in it has the form `FATAL:  28P01: password authentication failed`.
        init(connecting text: String) {
            var (kind, lines) = (Kind.unreachable, [String]())
            for line in text.split(separator: "\n") where !line.hasPrefix("LOCATION:") {
                guard let range = line.firstRange(of: #/[A-Z]+:  [0-9A-Z]{5}: /#) else {
                    lines.append(String(line))
                    continue
                }
                let state = String(line[range].dropLast(2).suffix(5))
                kind = Self.kind(ofState: state)
                lines.append(String(line[range.upperBound...]))
            }
            // libpq itself, without an answer of the server.
            if kind == .unreachable, text.contains("no password supplied") { kind = .refused }
            self.init(kind, lines.joined(separator: "\n"))
            if case .notAnArchive = kind { advice = "Create the database first: createdb NAME" }
        }
    }
#endif
