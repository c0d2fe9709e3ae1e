#define _GNU_SOURCE
#include "Baseline.h"
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <pthread.h>

static const char answer[] = "HTTP/1.1 204 No Content\r\n\r\n";

static void *serve(void *context) {
    int connection = (int)(long)context, one = 1;
    static const size_t room = 1 << 20;
    char *buffer = malloc(room + 1);
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    size_t held = 0;
    for (;;) {
        buffer[held] = 0;
        char *end = strstr(buffer, "\r\n\r\n");
        if (end == NULL) {
            ssize_t count = read(connection, buffer + held, room - held);
            if (count <= 0) break;
            held += (size_t)count;
            continue;
        }
        char *length = strcasestr(buffer, "content-length:");
        long rest = length != NULL && length < end ? atol(length + 15) : 0;
        size_t body = held - (size_t)(end + 4 - buffer);
        rest -= (long)body;
        while (rest > 0) {
            ssize_t count = read(connection, buffer, room);
            if (count <= 0) goto over;
            rest -= count;
        }
        held = 0;
        if (write(connection, answer, sizeof answer - 1) <= 0) break;
    }
over:
    close(connection);
    free(buffer);
    return NULL;
}

int baseline_start_receiver(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 16)) return 0;
    getsockname(listener, (struct sockaddr *)&address, &size);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            int connection = accept(listener, NULL, NULL);
            pthread_t thread;
            if (connection < 0 || pthread_create(&thread, NULL, serve, (void *)(long)connection)) _exit(1);
        }
    }
    close(listener);
    return ntohs(address.sin_port);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

double baseline_posts(int port, long bytes, int count) {
    char *body = malloc((size_t)bytes), url[64];
    memset(body, 'x', (size_t)bytes);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/logs", port);
    CURL *handle = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/x-ndjson");
    headers = curl_slist_append(headers, "Expect:");
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, drop);
    curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, 524288L);
    double start = now(), seconds = -1;
    int done = 0;
    for (; done < count; done++) {
        long status = 0;
        curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, bytes);
        if (curl_easy_perform(handle) != CURLE_OK) break;
        curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
        if (status != 204) break;
    }
    if (done == count) seconds = now() - start;
    curl_easy_cleanup(handle);
    curl_slist_free_all(headers);
    free(body);
    return seconds;
}
