#ifndef HINDSIGHT_CSQLITE_SHIM_H
#define HINDSIGHT_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds text that SQLite copies. `SQLITE_TRANSIENT` is a cast that Swift cannot import.
static inline int hindsight_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Switches one of a connection's on/off settings. `sqlite3_db_config` is variadic, which Swift cannot call.
static inline int hindsight_db_config(sqlite3 *connection, int option, int on) {
    return sqlite3_db_config(connection, option, on, (int *)0);
}

#endif
