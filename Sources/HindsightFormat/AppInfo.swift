/// The name and version of an app, as its recordings have them.
public struct AppInfo: Sendable, Hashable {
    /// The name by which the tool finds the app's reducers.
    public var name: String
    /// The app's version, in any form; empty if there is none.
    public var version: String
    /// The version of the forms of the app's states and actions, from 1. Migrations lead from one to the next.
    public var schema: Int
    /// An ID of this installation of the app, by which an archive tells devices apart; empty if there is none.
    public var installation: String

    /// The schema of an app that has never changed it, and of recordings that do not have one.
    public static let firstSchema = 1

    /// Creates the name and version of an app. Replay finds the reducers by the name, so keep it if you rename the app.
    ///
    /// - Parameters:
    ///   - name: The name by which the tool finds the app's reducers.
    ///   - version: The app's version, in any form.
    ///   - schema: The version of the forms of states and actions, from 1 on; a recording has a smaller one as 1. Use
    ///     `ReplayableApp.info` to have it from the app's migrations.
    ///   - installation: An ID of this installation, such as a random one that the app keeps. It stands in the file.
    public init(name: String, version: String = "", schema: Int = firstSchema, installation: String = "") {
        self.name = name
        self.version = version
        self.schema = schema
        self.installation = installation
    }
}
