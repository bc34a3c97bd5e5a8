/// The name and version of an app, as its recordings have them.
public struct AppInfo: Sendable, Hashable {
    /// The name by which the tool finds the app's reducers.
    public var name: String
    /// The app's version, in any form; empty if there is none.
    public var version: String

    /// Creates the name and version of an app. Replay finds the reducers by the name, so keep it if you rename the app.
    public init(name: String, version: String = "") {
        self.name = name
        self.version = version
    }
}
