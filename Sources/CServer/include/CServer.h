#ifndef HINDSIGHT_CSERVER_H
#define HINDSIGHT_CSERVER_H

#include <stddef.h>
#include <stdint.h>

/// A request; a text is `NULL` if it does not have it. The texts and the body are valid until its reply is sent.
typedef struct {
    const char *method;
    /// Decoded, without the query.
    const char *path;
    /// The value of `after` in the query.
    const char *after;
    const char *host;
    const char *origin;
    const char *authorization;
    /// The header `Content-Encoding`.
    const char *encoding;
    const uint8_t *body;
    size_t count;
} hindsight_request;

typedef struct hindsight_reply hindsight_reply;

/// Called on the server's one thread for each request that is whole.
///
/// In a server that does not wait, sets the reply before it returns. In one that waits, `hindsight_reply_send` sends it,
/// on any thread.
typedef void (*hindsight_answer)(void *context, const hindsight_request *request, hindsight_reply *reply);

typedef struct hindsight_server hindsight_server;

typedef struct {
    /// A numeric address of IPv4 or IPv6; `NULL` for 127.0.0.1.
    const char *address;
    /// 0 for one that the system chooses.
    uint16_t port;
    unsigned int max_connections;
    /// The largest body; requests with a larger one are refused with 413.
    size_t max_body;
    /// The size of all bodies in memory, and the number of requests that wait for their replies. Further requests are
    /// refused with 503 and `Retry-After`.
    size_t max_buffered;
    size_t max_waiting;
    /// How long a request may take to arrive, in seconds. Then its connection ends.
    unsigned int max_seconds;
    /// Whether replies may come later.
    int waits;
} hindsight_options;

/// `NULL` if it cannot start, with the reason in `errno`.
hindsight_server *hindsight_server_start(const hindsight_options *options, hindsight_answer answer, void *context);

uint16_t hindsight_server_port(hindsight_server *server);

/// Ends connections whose requests take too long. Call it about once a second.
void hindsight_server_end_slow(hindsight_server *server);

/// Takes no more connections. Requests that wait still get their replies.
void hindsight_server_quiesce(hindsight_server *server);

/// The number of requests that have begun to arrive, and whose replies have not been sent.
size_t hindsight_server_waiting(hindsight_server *server);

/// Ends the server. All replies must have been sent.
void hindsight_server_stop(hindsight_server *server);

void hindsight_reply_status(hindsight_reply *reply, int status);

/// Copies the bytes. Must come before headers.
void hindsight_reply_body(hindsight_reply *reply, const void *bytes, size_t count);

void hindsight_reply_header(hindsight_reply *reply, const char *name, const char *value);

/// Sends the reply of a server that waits. The request and the reply are invalid afterwards.
void hindsight_reply_send(hindsight_reply *reply);

#endif
