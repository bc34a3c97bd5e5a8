/// What an app says about itself in its recordings.
public struct AppInfo: Sendable, Hashable {
    /// The name under which the tool finds the app's reducers.
    public var name: String
    /// The app's version, in any form; empty where there is none.
    public var version: String

    public init(name: String, version: String = "") {
        self.name = name
        self.version = version
    }
}
