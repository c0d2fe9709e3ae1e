#pragma once
// libcurl's variadic setters and awkward unions, one plain function each, because Swift cannot call the originals.
// No decisions live here.
#include <curl/curl.h>

static inline CURLcode logbook_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode logbook_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode logbook_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode logbook_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLMcode logbook_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// The resolver's thread is left behind when a transfer ends early, instead of being waited for (libcurl 7.87 and later).
static inline void logbook_curl_do_not_wait_for_resolver(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
#endif
}

/// A file of authorities is read for each connection, instead of being kept for a day (libcurl 7.87 and later keep it).
static inline void logbook_curl_do_not_keep_authorities(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(handle, CURLOPT_CA_CACHE_TIMEOUT, 0L);
#else
    (void)handle;
#endif
}

/// Initialises libcurl, and its TLS library so that it can be used until the process is gone.
CURLcode logbook_curl_start(void);

/// Connections are not inherited by the programs that the process starts, and take no standard stream's place: libcurl would let them.
void logbook_curl_close_on_exec(CURL *handle);

typedef size_t (*logbook_curl_transfer)(char *bytes, size_t size, size_t count, void *context);
typedef int (*logbook_curl_seek)(void *context, curl_off_t offset, int origin);

static inline void logbook_curl_on_body(CURL *handle, logbook_curl_transfer function, void *context) {
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}
static inline void logbook_curl_on_header(CURL *handle, logbook_curl_transfer function, void *context) {
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, function);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}
static inline void logbook_curl_on_upload(
    CURL *handle, logbook_curl_transfer read, logbook_curl_seek seek, void *context) {
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    curl_easy_setopt(handle, CURLOPT_READDATA, context);
    curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, seek);
    curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
}

static inline long logbook_curl_info_long(CURL *handle, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(handle, info, &value);
    return value;
}

static inline double logbook_curl_info_double(CURL *handle, CURLINFO info) {
    double value = 0;
    curl_easy_getinfo(handle, info, &value);
    return value;
}

/// Of a handle that only connects; -1 when it has no connection.
static inline int logbook_curl_active_socket(CURL *handle) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? (int)socket : -1;
}

/// The next transfer that is over, or NULL.
static inline CURL *logbook_curl_next_finished(CURLM *multi, CURLcode *code) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *code = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}
