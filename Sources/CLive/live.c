// The HTTP server of `view --live`: libmicrohttpd, if the package trait Live is on.

#include "CLive.h"

#ifdef HINDSIGHT_LIVE

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

struct hindsight_server {
    struct MHD_Daemon *daemon;
    hindsight_answer answer;
    void *context;
};

static enum MHD_Result handle(
    void *own, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **state
) {
    hindsight_server *server = own;
    hindsight_request request = {
        .method = method,
        .path = url,
        .after = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "after"),
        .host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST),
        .origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN),
    };
    hindsight_reply reply = {0, NULL};
    server->answer(server->context, &request, &reply);
    if (reply.response == NULL) return MHD_NO;
    enum MHD_Result result = MHD_queue_response(connection, (unsigned int)reply.status, reply.response);
    MHD_destroy_response(reply.response);
    return result;
}

hindsight_server *hindsight_server_start(hindsight_answer answer, void *context) {
    hindsight_server *server = malloc(sizeof(*server));
    if (server == NULL) return NULL;
    server->answer = answer;
    server->context = context;
    struct sockaddr_in address;
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle, server,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_CONNECTION_LIMIT, 16u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END
    );
    if (server->daemon == NULL) {
        free(server);
        return NULL;
    }
    return server;
}

uint16_t hindsight_server_port(hindsight_server *server) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info == NULL ? 0 : info->port;
}

void hindsight_server_stop(hindsight_server *server) {
    MHD_stop_daemon(server->daemon);
    free(server);
}

void hindsight_reply_body(hindsight_reply *reply, const void *bytes, size_t count) {
    if (reply->response != NULL) MHD_destroy_response(reply->response);
    // It copies the bytes.
    reply->response = MHD_create_response_from_buffer(count, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
}

void hindsight_reply_header(hindsight_reply *reply, const char *name, const char *value) {
    if (reply->response != NULL) MHD_add_response_header(reply->response, name, value);
}

#else

hindsight_server *hindsight_server_start(hindsight_answer answer, void *context) { return NULL; }

uint16_t hindsight_server_port(hindsight_server *server) { return 0; }

void hindsight_server_stop(hindsight_server *server) {}

void hindsight_reply_body(hindsight_reply *reply, const void *bytes, size_t count) {}

void hindsight_reply_header(hindsight_reply *reply, const char *name, const char *value) {}

#endif
