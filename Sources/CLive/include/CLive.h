#ifndef HINDSIGHT_CLIVE_H
#define HINDSIGHT_CLIVE_H

#include <stddef.h>
#include <stdint.h>

/// A request; a text is `NULL` if it does not have it. The texts are only valid during the call.
typedef struct {
    const char *method;
    /// Decoded, without the query.
    const char *path;
    /// The value of `after` in the query.
    const char *after;
    const char *host;
    const char *origin;
} hindsight_request;

typedef struct {
    int status;
    /// For `hindsight_reply_body` and `hindsight_reply_header`.
    void *response;
} hindsight_reply;

/// Called on the server's one thread for each request. Sets the status, then the body, then headers.
typedef void (*hindsight_answer)(void *context, const hindsight_request *request, hindsight_reply *reply);

typedef struct hindsight_server hindsight_server;

/// Starts a server on 127.0.0.1, on a port that the system chooses. `NULL` if it cannot, or if this was built without
/// the package trait Live.
hindsight_server *hindsight_server_start(hindsight_answer answer, void *context);

uint16_t hindsight_server_port(hindsight_server *server);

/// Waits for the request that is being answered.
void hindsight_server_stop(hindsight_server *server);

/// Copies the bytes.
void hindsight_reply_body(hindsight_reply *reply, const void *bytes, size_t count);

void hindsight_reply_header(hindsight_reply *reply, const char *name, const char *value);

#endif
