import CSQLite
import HindsightSupport

/// Runs `body`, which forks the process, while no other thread holds one of SQLite's global locks: the forked process
/// could never take such a lock.
///
/// If a thread keeps one of the locks, `body` runs after a tenth of a second without them.
package func withSQLiteUnlocked<Result>(_ body: () -> Result) -> Result {
    // The numbers of the static mutexes in sqlite3.h: main, memory, open, random numbers, caches, and those of the VFS.
    let mutexes = [2, 3, 4, 5, 6, 7, 11, 12, 13].compactMap { sqlite3_mutex_alloc(Int32($0)) }
    for _ in 0..<1000 {
        // All or none, so that the order of locking does not matter.
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
