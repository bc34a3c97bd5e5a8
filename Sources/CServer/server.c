// The HTTP server of `view --live` and `archive receive`: libmicrohttpd, if the package trait Live or Archive is on.

#include "CServer.h"

#ifdef HINDSIGHT_SERVER

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// An open connection, and since when it owes a request.
typedef struct client {
    struct client *previous, *next;
    int descriptor;
    /// 0 while a request is being answered.
    time_t since;
} client;

struct hindsight_server {
    struct MHD_Daemon *daemon;
    hindsight_answer answer;
    void *context;
    hindsight_options options;
    /// Only the server's thread uses it.
    size_t buffered;
    /// Only the server's thread writes it.
    _Atomic size_t waiting;
    /// Protects the clients, so that none is closed while it is being ended.
    pthread_mutex_t mutex;
    client *clients;
    int listener;
};

struct hindsight_reply {
    hindsight_server *server;
    struct MHD_Connection *connection;
    hindsight_request request;
    char *path;
    /// The size of the body as it was announced, and of the memory that it has.
    size_t length, room;
    uint8_t *body;
    int is_sent;
    int status;
    struct MHD_Response *response;
};

static time_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1;
}

static client *client_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static void mark(hindsight_server *server, struct MHD_Connection *connection, time_t since) {
    client *found = client_of(connection);
    if (found == NULL) return;
    pthread_mutex_lock(&server->mutex);
    found->since = since;
    pthread_mutex_unlock(&server->mutex);
}

static void note_client(
    void *own, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode code
) {
    hindsight_server *server = own;
    client *changed = *context;
    pthread_mutex_lock(&server->mutex);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        changed = calloc(1, sizeof(*changed));
        if (changed != NULL && info != NULL) {
            *changed = (client){NULL, server->clients, info->connect_fd, now()};
            if (server->clients != NULL) server->clients->previous = changed;
            server->clients = changed;
        }
        *context = changed;
    } else if (changed != NULL) {
        if (changed->previous != NULL) changed->previous->next = changed->next;
        if (changed->next != NULL) changed->next->previous = changed->previous;
        if (server->clients == changed) server->clients = changed->next;
        free(changed);
        *context = NULL;
    }
    pthread_mutex_unlock(&server->mutex);
}

void hindsight_server_end_slow(hindsight_server *server) {
    time_t limit = now() - (time_t)server->options.max_seconds;
    pthread_mutex_lock(&server->mutex);
    for (client *each = server->clients; each != NULL; each = each->next) {
        if (each->since != 0 && each->since < limit) shutdown(each->descriptor, SHUT_RDWR);
    }
    pthread_mutex_unlock(&server->mutex);
}

static const char *header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/// Refuses a request before its body arrives.
static enum MHD_Result refuse(struct MHD_Connection *connection, int status, const char *reason) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(reason), (void *)(uintptr_t)reason, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "application/json");
    MHD_add_response_header(response, "Connection", "close");
    if (status == 503) MHD_add_response_header(response, "Retry-After", "1");
    enum MHD_Result result = MHD_queue_response(connection, (unsigned int)status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result begin(
    hindsight_server *server, struct MHD_Connection *connection, const char *url, const char *method, void **state
) {
    hindsight_options *options = &server->options;
    const char *length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    unsigned long long count = 0;
    if (length != NULL) {
        char *end = NULL;
        errno = 0;
        count = strtoull(length, &end, 10);
        if (errno != 0 || end == length || *end != 0) return refuse(connection, 400, "{\"error\":\"Content-Length is no number\"}");
    } else if (header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL) {
        return refuse(connection, 411, "{\"error\":\"Content-Length is missing\"}");
    }
    if (count > options->max_body) return refuse(connection, 413, "{\"error\":\"the body is too large\"}");
    // What is on its way already needs room, too.
    if (server->buffered >= options->max_buffered / 4 * 3 || server->waiting >= options->max_waiting) {
        return refuse(connection, 503, "{\"error\":\"too many requests at once\"}");
    }
    hindsight_reply *reply = calloc(1, sizeof(*reply));
    if (reply == NULL) return MHD_NO;
    reply->server = server;
    reply->connection = connection;
    reply->length = (size_t)count;
    reply->path = strdup(url);
    // The names of methods stand in the connection's memory.
    reply->request.method = method;
    reply->request.path = reply->path;
    *state = reply;
    server->waiting += 1;
    return reply->path == NULL ? MHD_NO : MHD_YES;
}

/// Adds bytes of a body, which takes only the memory of what has arrived: others may announce much, and send nothing.
static enum MHD_Result receive(hindsight_reply *reply, const char *bytes, size_t count) {
    hindsight_server *server = reply->server;
    hindsight_request *request = &reply->request;
    if (count > reply->length - request->count) return MHD_NO;
    if (request->count + count > reply->room) {
        size_t room = 2 * reply->room > request->count + count ? 2 * reply->room : request->count + count;
        if (room > reply->length) room = reply->length;
        if (server->buffered + room - reply->room > server->options.max_buffered) return MHD_NO;
        uint8_t *body = realloc(reply->body, room);
        if (body == NULL) return MHD_NO;
        server->buffered += room - reply->room;
        reply->body = body;
        reply->room = room;
    }
    memcpy(reply->body + request->count, bytes, count);
    request->count += count;
    return MHD_YES;
}

static enum MHD_Result send_reply(hindsight_reply *reply) {
    if (reply->response == NULL) return MHD_NO;
    return MHD_queue_response(reply->connection, (unsigned int)reply->status, reply->response);
}

static enum MHD_Result handle(
    void *own, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **state
) {
    hindsight_server *server = own;
    if (*state == NULL) return begin(server, connection, url, method, state);
    hindsight_reply *reply = *state;
    if (*upload_size > 0) {
        size_t count = *upload_size;
        *upload_size = 0;
        return receive(reply, upload, count);
    }
    if (reply->is_sent) return send_reply(reply);
    reply->request.body = reply->body;
    reply->request.after = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "after");
    reply->request.host = header(connection, MHD_HTTP_HEADER_HOST);
    reply->request.origin = header(connection, MHD_HTTP_HEADER_ORIGIN);
    reply->request.authorization = header(connection, MHD_HTTP_HEADER_AUTHORIZATION);
    reply->request.encoding = header(connection, MHD_HTTP_HEADER_CONTENT_ENCODING);
    mark(server, connection, 0);
    if (!server->options.waits) {
        server->answer(server->context, &reply->request, reply);
        return send_reply(reply);
    }
    // Must come first, because the reply may be sent before the call returns.
    MHD_suspend_connection(connection);
    server->answer(server->context, &reply->request, reply);
    return MHD_YES;
}

/// The request has been answered, or its connection has ended.
static void complete(
    void *own, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code
) {
    hindsight_server *server = own;
    hindsight_reply *reply = *state;
    mark(server, connection, now());
    if (reply == NULL) return;
    server->buffered -= reply->room;
    server->waiting -= 1;
    if (reply->response != NULL) MHD_destroy_response(reply->response);
    free(reply->body);
    free(reply->path);
    free(reply);
    *state = NULL;
}

/// The address to listen on; `NULL` if it is none.
static struct addrinfo *resolve(const hindsight_options *options) {
    struct addrinfo hints, *found = NULL;
    memset(&hints, 0, sizeof(hints));
    hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(options->address == NULL ? "127.0.0.1" : options->address, NULL, &hints, &found) != 0) return NULL;
    in_port_t port = htons(options->port);
    if (found->ai_family == AF_INET) {
        ((struct sockaddr_in *)(void *)found->ai_addr)->sin_port = port;
    } else {
        ((struct sockaddr_in6 *)(void *)found->ai_addr)->sin6_port = port;
    }
    return found;
}

hindsight_server *hindsight_server_start(const hindsight_options *options, hindsight_answer answer, void *context) {
    struct addrinfo *address = resolve(options);
    if (address == NULL) {
        errno = EADDRNOTAVAIL;
        return NULL;
    }
    hindsight_server *server = calloc(1, sizeof(*server));
    if (server != NULL) {
        server->answer = answer;
        server->context = context;
        server->options = *options;
        server->options.address = NULL;
        server->listener = -1;
        pthread_mutex_init(&server->mutex, NULL);
        unsigned int flags = MHD_USE_AUTO_INTERNAL_THREAD | (options->waits ? MHD_ALLOW_SUSPEND_RESUME : 0);
        if (address->ai_family == AF_INET6) flags |= MHD_USE_IPv6;
        errno = 0;
        server->daemon = MHD_start_daemon(
            flags, 0, NULL, NULL, handle, server,
            MHD_OPTION_SOCK_ADDR, address->ai_addr,
            MHD_OPTION_CONNECTION_LIMIT, options->max_connections,
            MHD_OPTION_CONNECTION_TIMEOUT, 30u,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(32 << 10),
            MHD_OPTION_NOTIFY_COMPLETED, complete, server,
            MHD_OPTION_NOTIFY_CONNECTION, note_client, server,
            MHD_OPTION_END
        );
    }
    freeaddrinfo(address);
    if (server != NULL && server->daemon == NULL) {
        int reason = errno;
        pthread_mutex_destroy(&server->mutex);
        free(server);
        errno = reason;
        return NULL;
    }
    return server;
}

uint16_t hindsight_server_port(hindsight_server *server) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info == NULL ? 0 : info->port;
}

void hindsight_server_quiesce(hindsight_server *server) {
    server->listener = MHD_quiesce_daemon(server->daemon);
    if (server->listener >= 0) shutdown(server->listener, SHUT_RDWR);
}

size_t hindsight_server_waiting(hindsight_server *server) { return server->waiting; }

void hindsight_server_stop(hindsight_server *server) {
    MHD_stop_daemon(server->daemon);
    // The server no longer closes it.
    if (server->listener >= 0) close(server->listener);
    pthread_mutex_destroy(&server->mutex);
    free(server);
}

void hindsight_reply_status(hindsight_reply *reply, int status) { reply->status = status; }

void hindsight_reply_body(hindsight_reply *reply, const void *bytes, size_t count) {
    if (reply->response != NULL) MHD_destroy_response(reply->response);
    // It copies the bytes.
    reply->response = MHD_create_response_from_buffer(count, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
}

void hindsight_reply_header(hindsight_reply *reply, const char *name, const char *value) {
    if (reply->response != NULL) MHD_add_response_header(reply->response, name, value);
}

void hindsight_reply_send(hindsight_reply *reply) {
    reply->is_sent = 1;
    MHD_resume_connection(reply->connection);
}

#endif
