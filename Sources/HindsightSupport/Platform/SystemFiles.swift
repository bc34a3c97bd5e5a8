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

    /// The user's folder of caches: `$XDG_CACHE_HOME` or `~/.cache`, on macOS `~/Library/Caches`. `nil` if the
    /// environment names no home.
    package static var caches: String? { folder("XDG_CACHE_HOME", onMac: "Library/Caches", elsewhere: ".cache") }

    /// The user's folder of programs' own data: `$XDG_STATE_HOME` or `~/.local/state`, on macOS
    /// `~/Library/Application Support`. `nil` if the environment names no home.
    package static var state: String? {
        folder("XDG_STATE_HOME", onMac: "Library/Application Support", elsewhere: ".local/state")
    }

    private static func folder(_ variable: String, onMac macPlace: String, elsewhere place: String) -> String? {
        func path(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        #if canImport(Darwin)
            let place = macPlace
        #endif
        return path(variable) ?? path("HOME").map { "\($0)/\(place)" }
    }
}
