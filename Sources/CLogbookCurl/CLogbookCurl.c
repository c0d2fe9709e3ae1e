#include "CLogbookCurl.h"

#include <fcntl.h>
#include <sys/socket.h>

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
#if defined(__linux__)
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    curl_socket_t descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

void logbook_curl_close_on_exec(CURL *handle) { curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket); }
