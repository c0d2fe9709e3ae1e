#include "Counters.h"
#include <stddef.h>
#include <stdio.h>
#include <time.h>

static uint64_t allocations;
uint64_t counters_allocations(void) { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t counters_processor_nanoseconds(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }
uint64_t counters_nanoseconds(void) { return nanoseconds(CLOCK_MONOTONIC); }

void counters_redirect_output(const char *path) {
    if (!freopen(path, "w", stdout)) perror(path);
}
void counters_flush_output(void) { fflush(stdout); }

#if defined(__GLIBC__)
extern void *__libc_malloc(size_t);
void *malloc(size_t size) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}
#endif
