import CSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs `body`, which forks the process, while no thread is inside SQLite's global locks: the fork could open none of
/// them.
///
/// A thread that keeps one of them for long is not waited for longer than a tenth of a second.
package func withSQLiteUnlocked<Result>(_ body: () -> Result) -> Result {
    // The static mutexes as sqlite3.h numbers them: main, memory, open, random numbers, caches, and those of the VFS.
    let mutexes = [2, 3, 4, 5, 6, 7, 11, 12, 13].compactMap { sqlite3_mutex_alloc(Int32($0)) }
    for _ in 0..<1000 {
        // All or none, so that no order of theirs matters.
        var taken = 0
        while taken < mutexes.count, sqlite3_mutex_try(mutexes[taken]) == SQLITE_OK { taken += 1 }
        let isAll = taken == mutexes.count
        let result = isAll ? body() : nil
        for mutex in mutexes[..<taken].reversed() { sqlite3_mutex_leave(mutex) }
        if let result { return result }
        usleep(100)
    }
    return body()
}
