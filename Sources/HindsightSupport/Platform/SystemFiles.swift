/// Names of files and programs that differ between systems.
package enum SystemFiles {
    /// The system's zlib, for `dlopen`.
    static var zlib: String {
        #if canImport(Darwin)
            "/usr/lib/libz.1.dylib"
        #else
            "libz.so.1"
        #endif
    }

    /// The program that opens a file or an address as the user's desktop does.
    package static var opener: String {
        #if canImport(Darwin)
            "open"
        #else
            "xdg-open"
        #endif
    }

    /// The folder of caches below a home folder.
    package static func caches(ofHome home: String) -> String {
        #if canImport(Darwin)
            home + "/Library/Caches"
        #else
            home + "/.cache"
        #endif
    }

    /// The folder of programs' own data below a home folder.
    package static func state(ofHome home: String) -> String {
        #if canImport(Darwin)
            home + "/Library/Application Support"
        #else
            home + "/.local/state"
        #endif
    }
}
