/// A request to a server of this tool.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Decoded, without the query.
    package var path: String
    /// The value of `after` in the query.
    package var after: String?
    package var host: String?
    package var origin: String?
    package var authorization: String?
    /// How the body is encoded: the header `Content-Encoding`.
    package var encoding: String?
    package var body: [UInt8] = []

    package init(_ method: String, _ path: String, after: String? = nil, host: String?, origin: String? = nil) {
        (self.method, self.path, self.after, self.host, self.origin) = (method, path, after, host, origin)
    }
}
