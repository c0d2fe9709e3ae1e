#pragma once
// What Swift cannot say about the operating system: thread-local words, thread ids, a mutex with a condition on the
// monotonic clock, and calls the Glibc overlay leaves out. No decisions live here.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How deep this thread is inside providers called by the library, and for which registration.
typedef struct {
    uint32_t depth;
    uint64_t registration;
} logbook_nesting;

#if defined(__APPLE__)
extern __thread logbook_nesting logbook_thread_nesting;
extern __thread uint64_t logbook_thread_number;
extern __thread uint32_t logbook_thread_inside;
#else
extern __thread logbook_nesting logbook_thread_nesting __attribute__((tls_model("initial-exec")));
extern __thread uint64_t logbook_thread_number __attribute__((tls_model("initial-exec")));
extern __thread uint32_t logbook_thread_inside __attribute__((tls_model("initial-exec")));
#endif

static inline logbook_nesting logbook_nesting_get(void) { return logbook_thread_nesting; }
static inline void logbook_nesting_set(logbook_nesting value) { logbook_thread_nesting = value; }

/// How many times this thread is inside the library, where whoever interrupts it may wait for nothing: it holds a lock, or hands out
/// an event. A signal handler that finds it above 0 has interrupted just that. Volatile, since the handler is on the same thread.
static inline uint32_t logbook_inside_get(void) { return *(volatile uint32_t *)&logbook_thread_inside; }
static inline void logbook_inside_set(uint32_t value) { *(volatile uint32_t *)&logbook_thread_inside = value; }

/// The kernel's number for the calling thread, asked for once per thread.
uint64_t logbook_thread_id_slow(void);
static inline uint64_t logbook_thread_id(void) {
    uint64_t number = logbook_thread_number;
    return number ? number : logbook_thread_id_slow();
}

/// One object per thread that is kept for the next log call. Taking empties the slot; giving fills an empty one and says whether
/// it did. What lies there when a thread ends is handed to the release function, which is always the same.
#if defined(__APPLE__)
extern __thread void *logbook_thread_buffer;
extern __thread bool logbook_thread_keeps_buffers;
#else
extern __thread void *logbook_thread_buffer __attribute__((tls_model("initial-exec")));
extern __thread bool logbook_thread_keeps_buffers __attribute__((tls_model("initial-exec")));
#endif
static inline void *logbook_buffer_take(void) {
    void *buffer = logbook_thread_buffer;
    logbook_thread_buffer = NULL;
    return buffer;
}
bool logbook_buffer_keep_slow(void *buffer, void (*release)(void *));
static inline bool logbook_buffer_keep(void *buffer, void (*release)(void *)) {
    if (logbook_thread_buffer) return false;
    if (!logbook_thread_keeps_buffers) return logbook_buffer_keep_slow(buffer, release);
    logbook_thread_buffer = buffer;
    return true;
}

/// The calendar's view of the latest second that this thread looked at, one for UTC and one for another zone.
typedef struct {
    int64_t second;
    int64_t zone;
    int32_t year, offset;
    uint8_t month, day, hour, minute, second_of_minute, weekday;
    bool known;
    /// `2026-11-21T10:29:20` and `+01:00`.
    uint8_t date_and_time[19], offset_text[6];
} logbook_civil;
#if defined(__APPLE__)
extern __thread logbook_civil logbook_thread_civil[2];
#else
extern __thread logbook_civil logbook_thread_civil[2] __attribute__((tls_model("initial-exec")));
#endif
static inline logbook_civil *logbook_civil_slot(bool utc) { return &logbook_thread_civil[utc ? 0 : 1]; }
static inline uint8_t *logbook_civil_date_and_time(logbook_civil *civil) { return civil->date_and_time; }
static inline uint8_t *logbook_civil_offset_text(logbook_civil *civil) { return civil->offset_text; }

/// Decimal digits of a number.
static inline int logbook_decimal_digits(uint64_t value) {
    static const uint64_t powers[20] = {
        0ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull, 100000000ull, 1000000000ull, 10000000000ull,
        100000000000ull, 1000000000000ull, 10000000000000ull, 100000000000000ull, 1000000000000000ull, 10000000000000000ull,
        100000000000000000ull, 1000000000000000000ull, 10000000000000000000ull};
    int guess = ((64 - __builtin_clzll(value | 1)) * 1233) >> 12;   // log10(2) is about 1233 / 4096
    return guess + (value >= powers[guess]);
}

/// Seconds that local time is ahead of UTC at that second since 1970.
int32_t logbook_local_offset(int64_t second);

/// The first of `count` bytes that is below 0x20, 0x7F, one of the four bytes packed in `escaped`, or one of C2, D8, E2, with
/// which longer characters of control begin; `count` when there is none. Sixteen bytes in one go where the machine can.
size_t logbook_find_escape(const uint8_t *bytes, size_t count, uint32_t escaped);
/// Copies a text for a string of JSON, unless something in it has to be escaped: those bytes, a quote or a backslash. Where it says false,
/// `target` may hold anything up to `count` bytes.
bool logbook_copy_json(const uint8_t *bytes, size_t count, uint8_t *target);

/// Which of up to 64 bytes begin a run of ASCII letters and digits, or are one of `: = - \ %`: a bit each, the lowest for the first
/// byte. `follows_word` says whether the byte in front of them is a letter or digit.
uint64_t logbook_word_starts(const uint8_t *bytes, size_t count, bool follows_word);

/// Nanoseconds of the monotonic clock, and of the wall clock since 1970.
uint64_t logbook_monotonic_nanoseconds(void);
int64_t logbook_wall_nanoseconds(void);

/// A count that the processor keeps, at one pace and the same on all of them: to be read in a third of a clock's time. Means something only
/// where `logbook_ticks_usable` says so: where the system takes its own time from it.
static inline uint64_t logbook_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}
bool logbook_ticks_usable(void);

/// Fetches the cache line of this address for somebody who will write there soon, from the processor that wrote there last. Never faults.
static inline void logbook_prefetch_for_writing(const void *address) {
#if defined(__x86_64__)
    // The builtin would fetch it for reading, unless the program were compiled for processors that are said to know the instruction;
    // those that do not know it pass over it.
    __asm__ volatile("prefetchw (%0)" : : "r"(address));
#else
    __builtin_prefetch(address, 1);
#endif
}

/// Stores the word for a thread that waits for it and takes over a reference that was written before it.
///
/// A function that the compiler cannot see into. Where it sees a mere store, a release build retains the object behind the store (seen in
/// Swift 6.3: LLVM's pass over reference counts takes stores for harmless), and the other thread may have let go of it before.
void logbook_hand_over(void *word, uint64_t value);

/// Has the kernel give memory for the pages of these bytes now, so that nobody who writes there waits for it. What lies there stays.
/// Does nothing where the kernel cannot (Linux before 5.14).
void logbook_populate(void *memory, size_t bytes);

/// How many forks lie between this process and the one that loaded the library: 0 in that one, more in forked children.
extern uint64_t logbook_fork_count;
static inline uint64_t logbook_forks(void) { return logbook_fork_count; }
/// Held while something changes that a forked child needs whole; a fork waits for it.
void logbook_fork_gate_lock(void);
void logbook_fork_gate_unlock(void);

/// Memory that is mapped from a file and its process's alone.
typedef struct logbook_kept_memory logbook_kept_memory;
/// From now on a forked child finds a copy of the first 512 bytes in the place of the memory, zeros behind them, and the descriptor closed.
/// NULL when there is no memory for that.
logbook_kept_memory *logbook_keep_from_children(void *base, size_t bytes, int descriptor);
/// Unmaps the memory, and unlocks and closes the descriptor where this is not a child.
void logbook_let_go(logbook_kept_memory *kept);

/// A mutex and one condition variable that waits on the monotonic clock.
typedef struct logbook_monitor logbook_monitor;
logbook_monitor *logbook_monitor_create(void);
void logbook_monitor_destroy(logbook_monitor *monitor);
void logbook_monitor_lock(logbook_monitor *monitor);
void logbook_monitor_unlock(logbook_monitor *monitor);
void logbook_monitor_broadcast(logbook_monitor *monitor);
void logbook_monitor_signal(logbook_monitor *monitor);
void logbook_monitor_wait(logbook_monitor *monitor);
/// Returns false when `deadline` (monotonic nanoseconds) has passed.
bool logbook_monitor_wait_until(logbook_monitor *monitor, uint64_t deadline);

/// Starts a detached thread with every signal blocked but those of its own faults, so that the host's handlers run on the host's threads.
/// Returns 0 or the error number of pthread_create.
int logbook_thread_start(const char *name, void (*body)(void *), void *context);

/// write(2) with SIGPIPE and SIGXFSZ held back for this thread: a closed pipe or a file size limit gives -1 and errno.
long logbook_write(int descriptor, const void *bytes, size_t count);
/// The same for a file that is open for reading too, so that nothing but its size can raise a signal.
long logbook_append(int file, const void *bytes, size_t count);
/// pwrite(2) into such a file.
long logbook_write_at(int file, const void *bytes, size_t count, int64_t offset);
/// Holds SIGPIPE back for this thread, for code that writes by itself. False where it was held back already: then it is the host's business,
/// and there is nothing to release.
bool logbook_hold_pipe_signal(void);
/// Drops what came meanwhile and lets the signal through again.
void logbook_release_pipe_signal(void);
/// Another opening of a terminal or pipe in which no write waits; the flags of the one that is there are the host's, and its children's.
/// Never 0, 1 or 2. -1 for everything else, where the system gives none, or where nobody has the other end. A terminal that this user
/// may not open is had all the same where it is the process's own; of any other there is none, and a write to it may wait.
int logbook_reopen_without_waiting(int descriptor);
/// The same without waiting: -1 and EAGAIN where the file takes nothing now. A pipe takes all of up to 4 KiB, or nothing.
long logbook_write_at_once(int descriptor, const void *bytes, size_t count);

/// open(2) and openat(2) are variadic in C; this is not. No descriptor of these functions is one of the three standard streams, which a
/// program may have closed: what it prints would go there. That costs one compare where they are open.
int logbook_openat(int directory, const char *path, int flags, unsigned mode);
/// dup2(2) to a descriptor that no program inherits, where the system can from the first moment.
int logbook_redirect(int descriptor, int target);

/// socket(2), accept(2) and pipe(2) that no program inherits which another thread starts meanwhile: closed on exec from the first
/// moment, where the system can.
int logbook_socket(int family, int kind, int protocol);
int logbook_accept(int listener);
int logbook_pipe(int ends[2]);
/// For posix_spawn(3): the program gets no descriptor from this number on. 0 or the error number, ENOSYS without glibc 2.34.
int logbook_spawn_close_from(void *file_actions, int first);

/// Gives a file its size and its room on the disk, so that a mapping of it can be written: 0 or the error number, which is EFBIG at a file
/// size limit.
int logbook_preallocate(int descriptor, int64_t bytes);
/// The kind of file system that an open file lies on, as Linux numbers them in `linux/magic.h`; 0 where nobody says.
uint32_t logbook_file_system(int descriptor);

/// Signals that are flushed for. The handler tells a pipe; a second signal, and one in a forked child, has the old effect at once.
/// The end to read from, or -1 and errno.
int logbook_signal_pipe(void);
// There is nobody to read from that descriptor: closes it, and lets signals that were taken have the effect that they had before.
void logbook_signal_abandon(int descriptor);
/// Installs the handler for one signal, unless it is ignored: 0 or the error number.
int logbook_signal_take(int number);
/// Waits for the first signal that came: its number, or 0 when the pipe fails.
int logbook_signal_wait(int descriptor);
/// Puts back what was there before; false when it was not ours.
bool logbook_signal_restore(int number);
/// Puts the old disposition back and sends the signal again, to the whole process.
void logbook_signal_repeat(int number);

/// Writes one line into the descriptor when the program crashes, and then lets what was there before take its course:
/// `crashed signal=11 code=1 address=0x10 process=4711 thread=4712 time=1763717360123456789 sequence=7` and a newline. The descriptor
/// and the word with the sequence stay for ever, or until another call replaces them. 0 or the error number.
int logbook_crash_take(int descriptor, const uint64_t *sequence);
/// The word with the sequence lies elsewhere from now on, if it was there.
void logbook_crash_moved(const uint64_t *before, const uint64_t *after);

/// Exclusive advisory lock without waiting: 0, or errno (EWOULDBLOCK when another process holds it).
int logbook_try_lock(int descriptor);
/// The same beside others that lock this way: EWOULDBLOCK when another holds it alone.
int logbook_try_lock_shared(int descriptor);
/// Lets the lock go, also where a forked child still holds the descriptor.
int logbook_unlock(int descriptor);

/// The first place in `bytes` where `text` stands; null when it stands nowhere.
const void *logbook_find(const void *bytes, size_t count, const void *text, size_t length);

/// SHA-256 (FIPS 180-4), fed piece by piece.
typedef struct {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
} logbook_sha256;
void logbook_sha256_begin(logbook_sha256 *hash);
void logbook_sha256_add(logbook_sha256 *hash, const void *bytes, size_t count);
/// Writes 32 bytes; the hash is of no further use.
void logbook_sha256_end(logbook_sha256 *hash, uint8_t *digest);

/// From now on memory of more than 128 KiB goes back to the system when it is freed. By itself, glibc keeps for each thread what a large
/// buffer once took, up to 64 MiB. For programs that hold large buffers for short times; elsewhere than with glibc it does nothing.
void logbook_give_back_large_memory(void);

/// A file in memory with these bytes, which nobody can change any more: its descriptor, or -1 and errno (ENOSYS where there are none).
int logbook_sealed_memory(const char *name, const void *bytes, size_t count);
/// Connects a Unix socket to a path: 0 or the error number, ENAMETOOLONG for a path that no such address can hold.
int logbook_connect_local(int socket, const char *path);
/// Sends nothing but a descriptor through a connected Unix socket: 0 or the error number.
int logbook_send_descriptor(int socket, int descriptor);
/// How many bytes of a TCP connection the other end's kernel has not acknowledged; -1 when nobody knows.
int logbook_unacknowledged(int socket);

/// Renames within a folder and never replaces anything: -1 and EEXIST when `to` is taken.
int logbook_rename_new(int directory, const char *from, const char *to);

#ifdef __cplusplus
}
#endif
