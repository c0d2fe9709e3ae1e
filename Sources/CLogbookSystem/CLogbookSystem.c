#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CLogbookSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

__thread logbook_nesting logbook_thread_nesting;
__thread uint64_t logbook_thread_number;

uint64_t logbook_thread_id_slow(void) {
    uint64_t number = 0;
#if defined(__linux__)
    number = (uint64_t)syscall(SYS_gettid);
#else
    pthread_threadid_np(NULL, &number);
#endif
    logbook_thread_number = number;
    return number;
}

uint64_t logbook_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

int64_t logbook_wall_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000ll + (int64_t)now.tv_nsec;
}

struct logbook_monitor {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

logbook_monitor *logbook_monitor_create(void) {
    logbook_monitor *monitor = calloc(1, sizeof *monitor);
    if (!monitor) abort();
    pthread_mutex_init(&monitor->mutex, NULL);
#if defined(__APPLE__)
    pthread_cond_init(&monitor->condition, NULL);
#else
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&monitor->condition, &attributes);
    pthread_condattr_destroy(&attributes);
#endif
    return monitor;
}

void logbook_monitor_destroy(logbook_monitor *monitor) {
    pthread_cond_destroy(&monitor->condition);
    pthread_mutex_destroy(&monitor->mutex);
    free(monitor);
}

void logbook_monitor_lock(logbook_monitor *monitor) { pthread_mutex_lock(&monitor->mutex); }
void logbook_monitor_unlock(logbook_monitor *monitor) { pthread_mutex_unlock(&monitor->mutex); }
void logbook_monitor_broadcast(logbook_monitor *monitor) { pthread_cond_broadcast(&monitor->condition); }
void logbook_monitor_wait(logbook_monitor *monitor) { pthread_cond_wait(&monitor->condition, &monitor->mutex); }

bool logbook_monitor_wait_until(logbook_monitor *monitor, uint64_t deadline) {
#if defined(__APPLE__)
    uint64_t now = logbook_monotonic_nanoseconds();
    uint64_t left = deadline > now ? deadline - now : 0;
    struct timespec span = {(time_t)(left / 1000000000ull), (long)(left % 1000000000ull)};
    return pthread_cond_timedwait_relative_np(&monitor->condition, &monitor->mutex, &span) != ETIMEDOUT;
#else
    struct timespec at = {(time_t)(deadline / 1000000000ull), (long)(deadline % 1000000000ull)};
    return pthread_cond_timedwait(&monitor->condition, &monitor->mutex, &at) != ETIMEDOUT;
#endif
}

struct start {
    void (*body)(void *);
    void *context;
    char name[16];
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
#if defined(__linux__)
    pthread_setname_np(pthread_self(), start.name);
#elif defined(__APPLE__)
    pthread_setname_np(start.name);
#endif
    start.body(start.context);
    return NULL;
}

int logbook_thread_start(const char *name, void (*body)(void *), void *context) {
    struct start *start = calloc(1, sizeof *start);
    if (!start) return ENOMEM;
    start->body = body;
    start->context = context;
    strncpy(start->name, name, sizeof start->name - 1);

    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int failure = pthread_create(&thread, &attributes, run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failure) free(start);
    return failure;
}

// The signal is raised for the writing thread, so it can be held back, taken off the thread's pending set and the mask put
// back: the process keeps its own disposition for SIGPIPE and SIGXFSZ.
long logbook_write(int descriptor, const void *bytes, size_t count) {
    sigset_t held, before, pending;
    sigemptyset(&held);
    sigaddset(&held, SIGPIPE);
    sigaddset(&held, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    // A signal that was pending before this call is the host's, not ours to take.
    sigpending(&pending);
    bool hosts_pipe = sigismember(&pending, SIGPIPE) == 1, hosts_size = sigismember(&pending, SIGXFSZ) == 1;

    long written = (long)write(descriptor, bytes, count);
    int failure = errno;

    if (written < 0 && (failure == EPIPE || failure == EFBIG)) {
        sigset_t ours;
        sigemptyset(&ours);
        if (!hosts_pipe) sigaddset(&ours, SIGPIPE);
        if (!hosts_size) sigaddset(&ours, SIGXFSZ);
#if defined(__APPLE__)
        int taken;
        sigpending(&pending);
        if ((failure == EPIPE && !hosts_pipe && sigismember(&pending, SIGPIPE) == 1) ||
            (failure == EFBIG && !hosts_size && sigismember(&pending, SIGXFSZ) == 1))
            sigwait(&ours, &taken);
#else
        struct timespec none = {0, 0};
        while (sigtimedwait(&ours, NULL, &none) < 0 && errno == EINTR) {}
#endif
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failure;
    return written;
}

int logbook_openat(int directory, const char *path, int flags, unsigned mode) {
    return openat(directory, path, flags, (mode_t)mode);
}

int logbook_try_lock(int descriptor) {
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

int logbook_unlock(int descriptor) { return flock(descriptor, LOCK_UN); }

int logbook_rename_new(int directory, const char *from, const char *to) {
#if defined(__linux__)
    if (syscall(SYS_renameat2, directory, from, directory, to, 1u /* RENAME_NOREPLACE */) == 0) return 0;
    // Some network file systems cannot do it in one step.
    if (errno != EINVAL && errno != ENOSYS) return -1;
    struct stat found;
    if (fstatat(directory, to, &found, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return renameat(directory, from, directory, to);
#else
    return renameatx_np(directory, from, directory, to, RENAME_EXCL);
#endif
}
