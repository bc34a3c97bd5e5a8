#ifndef HINDSIGHT_CSQLITE_SHIM_H
#define HINDSIGHT_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Binds text that SQLite copies. `SQLITE_TRANSIENT` is a cast that Swift cannot import.
static inline int hindsight_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Switches one of a connection's on/off settings. `sqlite3_db_config` is variadic, which Swift cannot call.
static inline int hindsight_db_config(sqlite3 *connection, int option, int on) {
    return sqlite3_db_config(connection, option, on, (int *)0);
}

/// Sets a function's result to text that SQLite copies.
static inline void hindsight_result_text(sqlite3_context *context, const char *text, sqlite3_uint64 count) {
    sqlite3_result_text64(context, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Sets a function's result to bytes that SQLite copies.
static inline void hindsight_result_blob(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

/// Where the last mistake is in the statement's text, in bytes; -1 if SQLite does not know, as before 3.38.
static inline int hindsight_error_offset(sqlite3 *connection) {
#if SQLITE_VERSION_NUMBER >= 3038000
    return sqlite3_error_offset(connection);
#else
    return -1;
#endif
}

/// Lets malloc keep up to so many freed bytes. glibc returns each freed block of more than 128 KB to the system.
static inline void hindsight_keep_freed(int count) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, count);
    mallopt(M_MMAP_THRESHOLD, count / 2);
#endif
}

/// The flags of a function that reads and sets marks of values, which newer versions of SQLite ask for.
static const int hindsight_subtype_flags = 0x000100000 | 0x001000000;

#endif
