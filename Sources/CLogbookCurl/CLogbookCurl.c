#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1   // RTLD_DEFAULT
#endif
#include "CLogbookCurl.h"
#include "CLogbookSystem.h"

#include <dlfcn.h>
#include <stdint.h>

CURLcode logbook_curl_start(void) {
    // What a program says last goes out while it ends: libcurl's OpenSSL, where it has that, must not have been torn down by then.
    // OPENSSL_INIT_NO_ATEXIT, which only the first who initialises it can ask for.
    int (*initialise)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
    if (initialise) initialise(0x00080000, NULL);
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
    return logbook_socket(address->family, address->socktype, address->protocol);
}

void logbook_curl_close_on_exec(CURL *handle) { curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket); }
