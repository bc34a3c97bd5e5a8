#if Archive
    import CPostgres

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
