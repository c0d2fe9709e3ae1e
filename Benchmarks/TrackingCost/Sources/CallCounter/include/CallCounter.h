#pragma once
#include <stdint.h>
/// How often this thread has allocated memory.
uint64_t call_counter_allocations(void);
/// Nanoseconds of processor time that this thread has used.
uint64_t call_counter_thread_nanoseconds(void);
/// The same for the whole process: asynchronous work changes threads.
uint64_t call_counter_process_nanoseconds(void);
