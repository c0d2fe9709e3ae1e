#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1   // RTLD_DEFAULT
#endif
#include "CLogbookCurl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

CURLcode logbook_curl_start(void) {
    // What a program says last goes out while it ends: libcurl's OpenSSL, where it has that, must not have been torn down by then.
    // OPENSSL_INIT_NO_ATEXIT, which only the first who initialises it can ask for.
    int (*initialise)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
    if (initialise) initialise(0x00080000, NULL);
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

// In the place of a standard stream that is closed, a socket would be sent what the program prints.
static int above_streams(int descriptor) {
    if (descriptor < 0 || descriptor > 2) return descriptor;
    int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int failure = errno;
    close(descriptor);
    errno = failure;
    return higher;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
#if defined(__linux__)
    return above_streams(socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol));
#else
    curl_socket_t descriptor = above_streams(socket(address->family, address->socktype, address->protocol));
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

void logbook_curl_close_on_exec(CURL *handle) { curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket); }
