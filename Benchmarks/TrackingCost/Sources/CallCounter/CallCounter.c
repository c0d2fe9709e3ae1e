#include "CallCounter.h"
#include <stddef.h>
#include <time.h>

static __thread uint64_t allocations;
uint64_t call_counter_allocations(void) { return allocations; }

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t call_counter_thread_nanoseconds(void) { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }
uint64_t call_counter_process_nanoseconds(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }

#if defined(__GLIBC__)
extern void *__libc_malloc(size_t);
void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}
#endif
