#if Archive
    extension ArchiveConnection {
        /// A URL or connection string without its password, for messages and suggested commands.
        package static func withoutPassword(_ address: String) -> String {
            let text = address.replacing(#/(:\/\/[^:@\/?]*):[^@]*@/#) { "\($0.1)@" }
            // In a URL, & ends a value; in a connection string, a space does that is not quoted.
            return isURL(address)
                ? text.replacing(#/(?:ssl)?password=[^&]*&?/#, with: "")
                : text.replacing(#/(?:ssl)?password\s*=\s*(?:'(?:\\.|[^'\\])*'?|(?:\\.|[^\s\\])*)\s?/#, with: "")
        }

        /// The passwords of a URL, as they stand there.
        static func passwords(in address: String) -> [String] {
            guard isURL(address) else { return [] }
            return address.matches(of: #/:\/\/[^:@\/?]*:([^@]*)@/#).map { String($0.output.1) }
                + address.matches(of: #/password=([^&]*)/#).map { String($0.output.1) }
        }

        private static func isURL(_ address: String) -> Bool {
            address.hasPrefix("postgresql://") || address.hasPrefix("postgres://")
        }
    }
#endif
