#ifndef HINDSIGHT_CPOSTGRES_SHIM_H
#define HINDSIGHT_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

/// The field of an error that has its SQLSTATE. The header defines it as a character, which Swift does not import.
static const int hindsight_sqlstate_field = PG_DIAG_SQLSTATE;
static const int hindsight_message_field = PG_DIAG_MESSAGE_PRIMARY;
static const int hindsight_detail_field = PG_DIAG_MESSAGE_DETAIL;
static const int hindsight_hint_field = PG_DIAG_MESSAGE_HINT;

static inline void hindsight_ignore_notice(void *context, const char *message) {
    (void)context;
    (void)message;
}

/// Keeps the server's notices off standard error.
static inline void hindsight_ignore_notices(PGconn *connection) {
    PQsetNoticeProcessor(connection, hindsight_ignore_notice, (void *)0);
}

#endif
