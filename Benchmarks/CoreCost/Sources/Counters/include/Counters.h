#pragma once
#include <stdint.h>
/// How often this process has allocated memory; 0 where that cannot be counted.
uint64_t counters_allocations(void);
/// Nanoseconds of processor time that this process has used.
uint64_t counters_processor_nanoseconds(void);
/// Nanoseconds of a clock that only goes forward.
uint64_t counters_nanoseconds(void);
/// Lets standard output go into a file, through the same buffer; and empties that.
void counters_redirect_output(const char *path);
void counters_flush_output(void);
/// Ticks of the finest clock, for single calls.
static inline uint64_t counters_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return counters_nanoseconds();
#endif
}
/// Keeps a loop.
static inline void counters_use(uint64_t value) { __asm__ volatile("" : : "r"(value) : "memory"); }
