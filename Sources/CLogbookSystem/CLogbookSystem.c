#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CLogbookSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/file.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#include <spawn.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

__thread logbook_nesting logbook_thread_nesting;
__thread uint64_t logbook_thread_number;
__thread uint32_t logbook_thread_inside;
__thread logbook_civil logbook_thread_civil[2];

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

__thread void *logbook_thread_buffer;
__thread bool logbook_thread_keeps_buffers;
static pthread_key_t buffer_key;
static pthread_once_t buffer_once = PTHREAD_ONCE_INIT;
static void (*_Atomic buffer_release)(void *);

static void release_buffer(void *unused) {
    (void)unused;
    logbook_thread_keeps_buffers = false;   // what is given from here on comes back through the slow way, and is kept once more
    void *buffer = logbook_thread_buffer;
    logbook_thread_buffer = NULL;
    if (buffer) buffer_release(buffer);
}

static void make_buffer_key(void) { pthread_key_create(&buffer_key, release_buffer); }

bool logbook_buffer_keep_slow(void *buffer, void (*release)(void *)) {
    buffer_release = release;
    pthread_once(&buffer_once, make_buffer_key);
    if (pthread_setspecific(buffer_key, &buffer_key) != 0) return false;
    logbook_thread_keeps_buffers = true;
    logbook_thread_buffer = buffer;
    return true;
}

int32_t logbook_local_offset(int64_t second) {
    time_t moment = (time_t)second;
    struct tm parts;
    return localtime_r(&moment, &parts) ? (int32_t)parts.tm_gmtoff : 0;
}

static inline bool is_escape(uint8_t byte, uint32_t escaped) {
    return byte < 0x20 || byte == 0x7F || byte == (uint8_t)escaped || byte == (uint8_t)(escaped >> 8) ||
           byte == (uint8_t)(escaped >> 16) || byte == (uint8_t)(escaped >> 24) || byte == 0xC2 || byte == 0xD8 || byte == 0xE2;
}

static inline size_t find_bytewise(const uint8_t *bytes, size_t count, uint32_t escaped) {
    size_t place = 0;
    while (place < count && !is_escape(bytes[place], escaped)) place++;
    return place;
}

#if defined(__SSE2__)
static inline unsigned escapes(__m128i v, __m128i a, __m128i b, __m128i c, __m128i d) {
    // A byte is below 0x20 when it is the smaller of itself and 0x1F.
    __m128i found = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    found = _mm_or_si128(found, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7F)));
    found = _mm_or_si128(found, _mm_or_si128(_mm_cmpeq_epi8(v, a), _mm_cmpeq_epi8(v, b)));
    found = _mm_or_si128(found, _mm_or_si128(_mm_cmpeq_epi8(v, c), _mm_cmpeq_epi8(v, d)));
    if (!_mm_movemask_epi8(v)) return (unsigned)_mm_movemask_epi8(found);   // nothing but ASCII
    found = _mm_or_si128(found, _mm_cmpeq_epi8(v, _mm_set1_epi8((char)0xC2)));
    found = _mm_or_si128(found, _mm_cmpeq_epi8(v, _mm_set1_epi8((char)0xD8)));
    found = _mm_or_si128(found, _mm_cmpeq_epi8(v, _mm_set1_epi8((char)0xE2)));
    return (unsigned)_mm_movemask_epi8(found);
}

static inline __attribute__((always_inline)) size_t find_escape(const uint8_t *bytes, size_t count, uint32_t escaped) {
    if (count < 4) return find_bytewise(bytes, count, escaped);
    __m128i a = _mm_set1_epi8((char)escaped), b = _mm_set1_epi8((char)(escaped >> 8));
    __m128i c = _mm_set1_epi8((char)(escaped >> 16)), d = _mm_set1_epi8((char)(escaped >> 24));
    if (count < 8) {
        // The first four and the last four, which may overlap.
        int first, last;
        memcpy(&first, bytes, 4);
        memcpy(&last, bytes + count - 4, 4);
        unsigned found = escapes(_mm_unpacklo_epi32(_mm_cvtsi32_si128(first), _mm_cvtsi32_si128(last)), a, b, c, d) & 0xFF;
        if (!found) return count;
        size_t place = (size_t)__builtin_ctz(found);
        return place < 4 ? place : count - 8 + place;
    }
    if (count < 16) {
        // The first eight and the last eight, which may overlap.
        __m128i v = _mm_unpacklo_epi64(
            _mm_loadl_epi64((const __m128i *)bytes), _mm_loadl_epi64((const __m128i *)(bytes + count - 8)));
        unsigned found = escapes(v, a, b, c, d);
        if (!found) return count;
        size_t place = (size_t)__builtin_ctz(found);
        return place < 8 ? place : count - 16 + place;
    }
    size_t place = 0;
    for (; place + 16 <= count; place += 16) {
        unsigned found = escapes(_mm_loadu_si128((const __m128i *)(bytes + place)), a, b, c, d);
        if (found) return place + (size_t)__builtin_ctz(found);
    }
    if (place < count) {
        // The last sixteen; those before `place` are known to hold none.
        unsigned found = escapes(_mm_loadu_si128((const __m128i *)(bytes + count - 16)), a, b, c, d);
        if (found) return count - 16 + (size_t)__builtin_ctz(found);
    }
    return count;
}
#else
static inline __attribute__((always_inline)) size_t find_escape(const uint8_t *bytes, size_t count, uint32_t escaped) {
    const uint64_t ones = 0x0101010101010101ull, high = 0x8080808080808080ull, low = 0x7F7F7F7F7F7F7F7Full;
    size_t place = 0;
    for (; place + 8 <= count; place += 8) {
        uint64_t word;
        memcpy(&word, bytes + place, 8);
        // As long as there are no bytes beyond ASCII, no sum carries; where there are, the eight are looked at one by one.
        uint64_t stands = (word + ones * 0x60) & ~(word + ones);
        for (int shift = 0; shift < 32; shift += 8) stands &= (word ^ (ones * ((escaped >> shift) & 0xFF))) + low;
        if ((~stands | word) & high) {
            size_t found = find_bytewise(bytes + place, 8, escaped);
            if (found < 8) return place + found;
        }
    }
    return place + find_bytewise(bytes + place, count - place, escaped);
}
#endif

size_t logbook_find_escape(const uint8_t *bytes, size_t count, uint32_t escaped) { return find_escape(bytes, count, escaped); }

/// A quote and a backslash.
#define JSON_ESCAPED (0x22u | 0x5Cu << 8 | 0x5Cu << 16 | 0x5Cu << 24)

#if defined(__SSE2__)
/// What has been seen of a text of JSON so far, in places of their own: the smallest bytes, all bits, and what is to be escaped.
typedef struct {
    __m128i least, bits, found;
} json_blocks;

static inline __attribute__((always_inline)) void look_at(json_blocks *blocks, __m128i v) {
    blocks->least = _mm_min_epu8(blocks->least, v);
    blocks->bits = _mm_or_si128(blocks->bits, v);
    __m128i found = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(0x22)), _mm_cmpeq_epi8(v, _mm_set1_epi8(0x5C)));
    found = _mm_or_si128(found, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7F)));
    blocks->found = _mm_or_si128(blocks->found, found);
}

bool logbook_copy_json(const uint8_t *bytes, size_t count, uint8_t *target) {
    if (count < 4) {
        if (find_bytewise(bytes, count, JSON_ESCAPED) < count) return false;
        for (size_t place = 0; place < count; place++) target[place] = bytes[place];
        return true;
    }
    json_blocks blocks = {_mm_set1_epi8((char)0xFF), _mm_setzero_si128(), _mm_setzero_si128()};
    if (count < 8) {
        // The first four and the last four, which may overlap; the same with eight and with sixteen.
        int first, last;
        memcpy(&first, bytes, 4);
        memcpy(&last, bytes + count - 4, 4);
        look_at(&blocks, _mm_set_epi32(last, first, last, first));
        memcpy(target, &first, 4);
        memcpy(target + count - 4, &last, 4);
    } else if (count < 16) {
        long long first, last;
        memcpy(&first, bytes, 8);
        memcpy(&last, bytes + count - 8, 8);
        look_at(&blocks, _mm_set_epi64x(last, first));
        memcpy(target, &first, 8);
        memcpy(target + count - 8, &last, 8);
    } else {
        for (size_t place = 0; place + 16 <= count; place += 16) {
            __m128i v = _mm_loadu_si128((const __m128i *)(bytes + place));
            look_at(&blocks, v);
            _mm_storeu_si128((__m128i *)(target + place), v);
        }
        __m128i v = _mm_loadu_si128((const __m128i *)(bytes + count - 16));
        look_at(&blocks, v);
        _mm_storeu_si128((__m128i *)(target + count - 16), v);
    }
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(blocks.least, _mm_set1_epi8(0x1F)), blocks.least);
    if (_mm_movemask_epi8(_mm_or_si128(control, blocks.found))) return false;
    // Beyond ASCII there is more to look for.
    return !_mm_movemask_epi8(blocks.bits) || find_escape(bytes, count, JSON_ESCAPED) == count;
}
#else
bool logbook_copy_json(const uint8_t *bytes, size_t count, uint8_t *target) {
    if (find_escape(bytes, count, JSON_ESCAPED) < count) return false;
    memcpy(target, bytes, count);
    return true;
}
#endif

uint64_t logbook_word_starts(const uint8_t *bytes, size_t count, bool follows_word) {
    uint64_t words = 0, marks = 0;
#if defined(__SSE2__)
    uint8_t padded[64];
    if (count < 64) {
        memcpy(padded, bytes, count);
        memset(padded + count, 0, 64 - count);
        bytes = padded;
    }
    for (size_t place = 0; place < count; place += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(bytes + place));
        // A range of bytes is moved to where the smallest ones are, as signed numbers go.
        __m128i letters = _mm_cmplt_epi8(
            _mm_add_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8((char)(0x80 - 'a'))), _mm_set1_epi8(-128 + 26));
        __m128i digits = _mm_cmplt_epi8(_mm_add_epi8(v, _mm_set1_epi8((char)(0x80 - '0'))), _mm_set1_epi8(-128 + 10));
        __m128i others = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(':')), _mm_cmpeq_epi8(v, _mm_set1_epi8('=')));
        others = _mm_or_si128(others, _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('-')), _mm_cmpeq_epi8(v, _mm_set1_epi8('%'))));
        others = _mm_or_si128(others, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
        words |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_or_si128(letters, digits)) << place;
        marks |= (uint64_t)(unsigned)_mm_movemask_epi8(others) << place;
    }
#else
    for (size_t place = 0; place < count; place++) {
        uint8_t byte = bytes[place], folded = byte | 0x20;
        if ((folded >= 'a' && folded <= 'z') || (byte >= '0' && byte <= '9')) words |= 1ull << place;
        if (byte == ':' || byte == '=' || byte == '-' || byte == '%' || byte == '\\') marks |= 1ull << place;
    }
#endif
    return (words & ~(words << 1 | (follows_word ? 1 : 0))) | marks;
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

// The kernel calls its clock source `tsc` only where the count goes on at one pace in every state of every processor.
static bool ticks_usable;
static void look_for_ticks(void) {
#if defined(__linux__) && defined(__x86_64__)
    char name[8] = {0};
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ticks_usable = read(file, name, sizeof name - 1) >= 3 && strncmp(name, "tsc", 3) == 0 && (name[3] == '\n' || name[3] == 0);
    close(file);
#endif
}

bool logbook_ticks_usable(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_for_ticks);
    return ticks_usable;
}

// A forked child has one thread. What the other threads of its parent held stays held for ever, so the child makes each lock
// anew when it first meets it; and what must be whole in the child is changed only between two forks, under `fork_gate`.
uint64_t logbook_fork_count;   // changed only where one thread is all there is
static pthread_mutex_t fork_gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t renewal = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

// Memory of a file's that is its process's alone. Changed under `fork_gate`.
struct logbook_kept_memory {
    void *base;
    size_t bytes;
    int descriptor;
    struct logbook_kept_memory *next;
};
static struct logbook_kept_memory *kept_memory;
enum { kept_head = 512 };

// The child has a copy of its beginning in the place of the file, which goes on being its parent's.
static void leave_to_parent(struct logbook_kept_memory *kept) {
    char head[kept_head];
    size_t count = kept->bytes < kept_head ? kept->bytes : kept_head;
    memcpy(head, kept->base, count);
    void *own = mmap(kept->base, kept->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (own != MAP_FAILED) memcpy(own, head, count);
    if (kept->descriptor >= 0) close(kept->descriptor);
    kept->descriptor = -1;
}

static void before_fork(void) { pthread_mutex_lock(&fork_gate); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&fork_gate); }
static void after_fork_in_child(void) {
    for (struct logbook_kept_memory *kept = kept_memory; kept; kept = kept->next) leave_to_parent(kept);
    pthread_mutex_init(&fork_gate, NULL);
    pthread_mutex_init(&renewal, NULL);
    logbook_thread_number = 0;   // the child's only thread has another one
    logbook_fork_count++;
}
static void watch_forks(void) { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

void logbook_fork_gate_lock(void) {
    pthread_once(&fork_once, watch_forks);
    pthread_mutex_lock(&fork_gate);
}
void logbook_fork_gate_unlock(void) { pthread_mutex_unlock(&fork_gate); }

logbook_kept_memory *logbook_keep_from_children(void *base, size_t bytes, int descriptor) {
    logbook_kept_memory *kept = malloc(sizeof *kept);
    if (!kept) return NULL;
    logbook_fork_gate_lock();
    *kept = (logbook_kept_memory){base, bytes, descriptor, kept_memory};
    kept_memory = kept;
    logbook_fork_gate_unlock();
    return kept;
}

void logbook_let_go(logbook_kept_memory *kept) {
    logbook_fork_gate_lock();
    for (logbook_kept_memory **place = &kept_memory; *place; place = &(*place)->next) {
        if (*place != kept) continue;
        *place = kept->next;
        break;
    }
    munmap(kept->base, kept->bytes);
    if (kept->descriptor >= 0) {
        flock(kept->descriptor, LOCK_UN);
        close(kept->descriptor);
    }
    logbook_fork_gate_unlock();
    free(kept);
}

struct logbook_monitor {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    _Atomic(uint64_t) fork_count;
};

static void prepare(logbook_monitor *monitor) {
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
}

logbook_monitor *logbook_monitor_create(void) {
    pthread_once(&fork_once, watch_forks);
    logbook_monitor *monitor = calloc(1, sizeof *monitor);
    if (!monitor) abort();
    prepare(monitor);
    atomic_init(&monitor->fork_count, logbook_forks());
    return monitor;
}

static void renew(logbook_monitor *monitor) {
    pthread_mutex_lock(&renewal);
    if (atomic_load_explicit(&monitor->fork_count, memory_order_relaxed) != logbook_forks()) {
        prepare(monitor);
        atomic_store_explicit(&monitor->fork_count, logbook_forks(), memory_order_release);
    }
    pthread_mutex_unlock(&renewal);
}

void logbook_monitor_destroy(logbook_monitor *monitor) {
    if (atomic_load_explicit(&monitor->fork_count, memory_order_acquire) != logbook_forks()) renew(monitor);
    pthread_cond_destroy(&monitor->condition);
    pthread_mutex_destroy(&monitor->mutex);
    free(monitor);
}

void logbook_monitor_lock(logbook_monitor *monitor) {
    logbook_inside_set(logbook_inside_get() + 1);
    if (atomic_load_explicit(&monitor->fork_count, memory_order_acquire) != logbook_forks()) renew(monitor);
    pthread_mutex_lock(&monitor->mutex);
}
void logbook_monitor_unlock(logbook_monitor *monitor) {
    pthread_mutex_unlock(&monitor->mutex);
    logbook_inside_set(logbook_inside_get() - 1);
}
void logbook_monitor_broadcast(logbook_monitor *monitor) { pthread_cond_broadcast(&monitor->condition); }
void logbook_monitor_signal(logbook_monitor *monitor) { pthread_cond_signal(&monitor->condition); }
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

// The signals of a thread's own faults.
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
enum { crash_signal_count = sizeof crash_signals / sizeof *crash_signals };

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
    sigset_t blocked, before;
    sigfillset(&blocked);
    // A fault whose signal is blocked ends the program without any handler.
    for (int place = 0; place < crash_signal_count; place++) sigdelset(&blocked, crash_signals[place]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t thread;
    int failure = pthread_create(&thread, &attributes, run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failure) free(start);
    return failure;
}

// The signals of writing are raised for the writing thread, so they can be held back, taken off the thread's pending set and the mask
// put back: the process keeps its own disposition for SIGPIPE and SIGXFSZ.
struct write_signals {
    sigset_t before;
    bool hosts_pipe, hosts_size;
};

static struct write_signals hold_write_signals(void) {
    struct write_signals signals;
    sigset_t held, pending;
    sigemptyset(&held);
    sigaddset(&held, SIGPIPE);
    sigaddset(&held, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &held, &signals.before);
    // A signal that was pending before this call is the host's, not ours to take; none is where the host lets it through.
    sigemptyset(&pending);
    if (sigismember(&signals.before, SIGPIPE) == 1 || sigismember(&signals.before, SIGXFSZ) == 1) sigpending(&pending);
    signals.hosts_pipe = sigismember(&pending, SIGPIPE) == 1;
    signals.hosts_size = sigismember(&pending, SIGXFSZ) == 1;
    return signals;
}

// The failure is the error number of what was done meanwhile, 0 where all was well.
static void release_write_signals(const struct write_signals *signals, int failure) {
    if (failure == EPIPE || failure == EFBIG) {
        sigset_t ours;
        sigemptyset(&ours);
        if (!signals->hosts_pipe) sigaddset(&ours, SIGPIPE);
        if (!signals->hosts_size) sigaddset(&ours, SIGXFSZ);
#if defined(__APPLE__)
        sigset_t pending;
        int taken;
        sigpending(&pending);
        if ((failure == EPIPE && !signals->hosts_pipe && sigismember(&pending, SIGPIPE) == 1) ||
            (failure == EFBIG && !signals->hosts_size && sigismember(&pending, SIGXFSZ) == 1))
            sigwait(&ours, &taken);
#else
        struct timespec none = {0, 0};
        while (sigtimedwait(&ours, NULL, &none) < 0 && errno == EINTR) {}
#endif
    }
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

long logbook_write(int descriptor, const void *bytes, size_t count) {
    struct write_signals signals = hold_write_signals();
    long written = (long)write(descriptor, bytes, count);
    int failure = errno;
    // Of a pipe whose reader goes while it takes the rest the kernel says how much it has taken, and raises the signal all the same.
    bool is_short = written >= 0 && (size_t)written < count;
    release_write_signals(&signals, written < 0 ? failure : is_short ? EPIPE : 0);
    errno = failure;
    return written;
}

// Asked each time: somebody may set it meanwhile. It is one call of the kernel where to hold the signals back takes two.
static bool size_is_unlimited(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

long logbook_append(int file, const void *bytes, size_t count) {
    if (size_is_unlimited()) return (long)write(file, bytes, count);
    return logbook_write(file, bytes, count);
}

long logbook_write_at(int file, const void *bytes, size_t count, int64_t offset) {
    if (size_is_unlimited()) return (long)pwrite(file, bytes, count, (off_t)offset);
    struct write_signals signals = hold_write_signals();
    long written = (long)pwrite(file, bytes, count, (off_t)offset);
    int failure = errno;
    release_write_signals(&signals, written < 0 ? failure : 0);
    errno = failure;
    return written;
}

bool logbook_hold_pipe_signal(void) {
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    return sigismember(&before, SIGPIPE) != 1;
}

void logbook_release_pipe_signal(void) {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGPIPE);
#if defined(__APPLE__)
    sigset_t pending;
    int taken;
    sigpending(&pending);
    if (sigismember(&pending, SIGPIPE) == 1) sigwait(&held, &taken);
#else
    struct timespec none = {0, 0};
    while (sigtimedwait(&held, NULL, &none) < 0 && errno == EINTR) {}
#endif
    pthread_sigmask(SIG_UNBLOCK, &held, NULL);
}

// A descriptor that none of the three standard streams has, or will have once the program opens it anew.
static int above_streams(int descriptor) {
    if (descriptor < 0 || descriptor > 2) return descriptor;
    int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int failure = errno;
    close(descriptor);
    errno = failure;
    return higher;
}

#if defined(__linux__)
static int open_without_waiting(const char *path) { return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); }

// Whoever may write to a terminal need not be allowed to open its node: after sudo or su that is the login's. /dev/tty opens the
// process's own terminal, whosever it is.
static int open_controlling_terminal(int descriptor, dev_t device) {
    pid_t session;
    unsigned number;
    // Only the process's own tells its session, and the other end of it; one in another mount of devpts may have the same number.
    if (ioctl(descriptor, TIOCGSID, &session) != 0) return -1;
    int own = open_without_waiting("/dev/tty");
    if (own < 0 || (ioctl(own, TIOCGDEV, &number) == 0 && number == device)) return own;
    close(own);
    return -1;
}
#endif

int logbook_reopen_without_waiting(int descriptor) {
#if defined(__linux__)
    struct stat found;
    char path[32];
    if (fstat(descriptor, &found) != 0 || (!S_ISFIFO(found.st_mode) && !isatty(descriptor))) return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int own = open_without_waiting(path);
    if (own < 0 && !S_ISFIFO(found.st_mode)) own = open_controlling_terminal(descriptor, found.st_rdev);
    return above_streams(own);
#else
    (void)descriptor;
    return -1;
#endif
}

long logbook_write_at_once(int descriptor, const void *bytes, size_t count) {
    struct pollfd request = {descriptor, POLLOUT, 0};
    if (poll(&request, 1, 0) == 0) {
        errno = EAGAIN;
        return -1;
    }
    int own = logbook_reopen_without_waiting(descriptor);
    long written = logbook_write(own >= 0 ? own : descriptor, bytes, count);   // which says what is wrong, if anything is
    int failure = errno;
    if (own >= 0) close(own);
    errno = failure;
    return written;
}

int logbook_openat(int directory, const char *path, int flags, unsigned mode) {
    return above_streams(openat(directory, path, flags, (mode_t)mode));
}

static int pipe_above_streams(int ends[2]) {
    for (int index = 0; index < 2; index++) {
        int higher = above_streams(ends[index]);
        if (higher < 0) {
            close(ends[1 - index]);
            return -1;
        }
        ends[index] = higher;
    }
    return 0;
}

#if defined(__linux__)
int logbook_redirect(int descriptor, int target) { return dup3(target, descriptor, O_CLOEXEC); }
int logbook_socket(int family, int kind, int protocol) { return above_streams(socket(family, kind | SOCK_CLOEXEC, protocol)); }
int logbook_accept(int listener) { return above_streams(accept4(listener, NULL, NULL, SOCK_CLOEXEC)); }
int logbook_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? pipe_above_streams(ends) : -1; }
#else
static int close_on_exec(int descriptor) {
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
}
int logbook_redirect(int descriptor, int target) { return close_on_exec(dup2(target, descriptor)); }

int logbook_socket(int family, int kind, int protocol) { return close_on_exec(above_streams(socket(family, kind, protocol))); }
int logbook_accept(int listener) { return close_on_exec(above_streams(accept(listener, NULL, NULL))); }
int logbook_pipe(int ends[2]) {
    if (pipe(ends) != 0 || pipe_above_streams(ends) != 0) return -1;
    for (int index = 0; index < 2; index++) close_on_exec(ends[index]);
    return 0;
}
#endif

int logbook_spawn_close_from(void *file_actions, int first) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    return posix_spawn_file_actions_addclosefrom_np(file_actions, first);
#else
    (void)file_actions;
    (void)first;
    return ENOSYS;
#endif
}

static int preallocate(int descriptor, int64_t bytes) {
#if defined(__APPLE__)
    fstore_t room = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, bytes, 0};
    if (fcntl(descriptor, F_PREALLOCATE, &room) != 0) return errno;
    return ftruncate(descriptor, bytes) == 0 ? 0 : errno;
#else
    int failure;
    do failure = posix_fallocate(descriptor, 0, bytes);
    while (failure == EINTR);
    return failure;
#endif
}

int logbook_preallocate(int descriptor, int64_t bytes) {
    struct write_signals signals = hold_write_signals();
    int failure = preallocate(descriptor, bytes);
    release_write_signals(&signals, failure);
    return failure;
}

uint32_t logbook_file_system(int descriptor) {
#if defined(__linux__)
    struct statfs found;
    if (fstatfs(descriptor, &found) == 0) return (uint32_t)found.f_type;
#else
    (void)descriptor;
#endif
    return 0;
}

// The handler may run on any thread between any two instructions: it touches atomics and calls what POSIX lists as safe.
enum { signal_limit = 65 };
static struct sigaction signal_before[signal_limit];
static _Atomic(bool) signal_is_ours[signal_limit];
static _Atomic(int) signal_came;
static _Atomic(int) signal_pipe = -1;
static pid_t signal_process;

bool logbook_signal_restore(int number) {
    if (number <= 0 || number >= signal_limit || !atomic_exchange(&signal_is_ours[number], false)) return false;
    sigaction(number, &signal_before[number], NULL);
    return true;
}

static void on_signal(int number) {
    int failure = errno;
    int none = 0;
    // A child that was forked has no thread to flush with, and its parent's pipe.
    if (getpid() == signal_process && atomic_compare_exchange_strong(&signal_came, &none, number)) {
        unsigned char byte = (unsigned char)number;
        if (write(atomic_load(&signal_pipe), &byte, 1) == 1) {
            errno = failure;
            return;
        }
    }
    logbook_signal_restore(number);
    raise(number);   // held back until this handler returns
    errno = failure;
}

int logbook_signal_pipe(void) {
    int ends[2];
    if (logbook_pipe(ends) != 0) return -1;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    int earlier = atomic_exchange(&signal_pipe, ends[1]);
    if (earlier >= 0) close(earlier);   // nobody writes to it: its signal has come, or it is the parent's
    signal_process = getpid();
    atomic_store(&signal_came, 0);
    return ends[0];
}

void logbook_signal_abandon(int descriptor) {
    atomic_store(&signal_came, -1);   // as if one had come: the next has the effect that it had before
    close(descriptor);
}

int logbook_signal_take(int number) {
    if (number <= 0 || number >= signal_limit) return EINVAL;
    if (atomic_load(&signal_is_ours[number])) return 0;
    struct sigaction ours;
    if (sigaction(number, NULL, &signal_before[number]) != 0) return errno;
    if (!(signal_before[number].sa_flags & SA_SIGINFO) && signal_before[number].sa_handler == SIG_IGN) return 0;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = on_signal;
    ours.sa_flags = SA_RESTART;
    sigemptyset(&ours.sa_mask);
    atomic_store(&signal_is_ours[number], true);
    if (sigaction(number, &ours, NULL) == 0) return 0;
    int failure = errno;
    atomic_store(&signal_is_ours[number], false);
    return failure;
}

int logbook_signal_wait(int descriptor) {
    unsigned char byte = 0;
    while (true) {
        long count = (long)read(descriptor, &byte, 1);
        if (count == 1) return byte;
        if (count == 0 || errno != EINTR) return 0;
    }
}

void logbook_signal_repeat(int number) {
    logbook_signal_restore(number);
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    kill(getpid(), number);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);   // where every other thread blocks it, it ends the program here
}

// Only what a signal handler may call: the line is put together by hand.
static struct sigaction crash_before[crash_signal_count];
static _Atomic(bool) crash_is_taken, crash_is_written;
static _Atomic(int) crash_descriptor = -1;
static const uint64_t *_Atomic crash_sequence;
// Who writes the record, and whether that is over.
static _Atomic uint64_t crash_thread;
static atomic_bool crash_is_over;
enum { crash_patience_milliseconds = 200 };

static char *crash_text(char *next, const char *text) {
    while (*text) *next++ = *text++;
    return next;
}

static char *crash_number(char *next, uint64_t value, unsigned base) {
    char digits[24];
    int count = 0;
    do digits[count++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (count) *next++ = digits[--count];
    return next;
}

// Whether the program does it again by itself when the handler returns. What was sent it does not, nor what lies behind it: a system
// call that a filter refused, and on x86 a breakpoint.
static bool crash_recurs(int number, const siginfo_t *info) {
    if (info->si_code <= 0 || number == SIGSYS) return false;
#if defined(__x86_64__) || defined(__i386__)
    if (number == SIGTRAP) return false;
#endif
    return true;
}

static void on_crash(int number, siginfo_t *info, void *context) {
    (void)context;
    int kept = errno;
    if (!atomic_exchange(&crash_is_written, true)) {
        atomic_store(&crash_thread, logbook_thread_id());
        char line[256], *next = line;
        const uint64_t *sequence = atomic_load(&crash_sequence);
        next = crash_number(crash_text(next, "crashed signal="), (uint64_t)number, 10);
        next = crash_text(next, " code=");
        if (info->si_code < 0) *next++ = '-';
        next = crash_number(next, (uint64_t)(info->si_code < 0 ? -(int64_t)info->si_code : info->si_code), 10);
        // Of a signal that somebody sent there is no address.
        next = crash_number(crash_text(next, " address=0x"), info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : 0, 16);
        next = crash_number(crash_text(next, " process="), (uint64_t)getpid(), 10);
        next = crash_number(crash_text(next, " thread="), logbook_thread_id(), 10);
        next = crash_number(crash_text(next, " time="), (uint64_t)logbook_wall_nanoseconds(), 10);
        next = crash_number(crash_text(next, " sequence="), sequence ? __atomic_load_n(sequence, __ATOMIC_RELAXED) : 0, 10);
        *next++ = '\n';
        if (write(atomic_load(&crash_descriptor), line, (size_t)(next - line)) < 0) {}   // nobody is left to tell
        atomic_store(&crash_is_over, true);
    } else if (atomic_load(&crash_thread) != logbook_thread_id()) {
        // Another thread is at it: the program would end before it has written.
        struct timespec moment = {0, 1000000};
        for (int waited = 0; waited < crash_patience_milliseconds && !atomic_load(&crash_is_over); waited++) nanosleep(&moment, NULL);
    }
    for (int place = 0; place < crash_signal_count; place++) {
        if (crash_signals[place] == number) sigaction(number, &crash_before[place], NULL);
    }
    errno = kept;
    if (!crash_recurs(number, info)) raise(number);   // held back until this handler returns
}

int logbook_crash_take(int descriptor, const uint64_t *sequence) {
    atomic_store(&crash_sequence, sequence);
    int earlier = atomic_exchange(&crash_descriptor, descriptor);
    if (earlier >= 0) close(earlier);
    if (atomic_exchange(&crash_is_taken, true)) return 0;
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_crash;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    for (int place = 0; place < crash_signal_count; place++) {
        if (sigaction(crash_signals[place], &ours, &crash_before[place]) != 0) return errno;
    }
    return 0;
}

void logbook_crash_moved(const uint64_t *before, const uint64_t *after) { atomic_compare_exchange_strong(&crash_sequence, &before, after); }

int logbook_try_lock(int descriptor) {
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

int logbook_try_lock_shared(int descriptor) {
    while (flock(descriptor, LOCK_SH | LOCK_NB) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

const void *logbook_find(const void *bytes, size_t count, const void *text, size_t length) {
    return memmem(bytes, count, text, length);
}

int logbook_unlock(int descriptor) { return flock(descriptor, LOCK_UN); }

int logbook_sealed_memory(const char *name, const void *bytes, size_t count) {
#if defined(__linux__)
    int memory = above_streams(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (memory < 0) return -1;
    size_t done = 0;
    while (done < count) {
        // A limit of the files' size is one of this as well.
        long written = logbook_append(memory, (const char *)bytes + done, count - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        done += (size_t)written;
    }
    if (done == count && fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0) return memory;
    int number = errno;
    close(memory);
    errno = number;
    return -1;
#else
    (void)name, (void)bytes, (void)count;
    errno = ENOSYS;
    return -1;
#endif
}

void logbook_give_back_large_memory(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 128 << 10);   // to say it ends the threshold's growing
#endif
}

int logbook_connect_local(int socket, const char *path) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path));
    return connect(socket, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
}

int logbook_send_descriptor(int socket, int descriptor) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
#if defined(MSG_NOSIGNAL)
    int flags = MSG_NOSIGNAL;
#else
    int flags = 0;
#endif
    while (sendmsg(socket, &message, flags) < 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

int logbook_unacknowledged(int socket) {
#if defined(__linux__)
    int count;
    return ioctl(socket, TIOCOUTQ, &count) == 0 ? count : -1;
#elif defined(SO_NWRITE)
    int count;
    socklen_t size = sizeof count;
    return getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 ? count : -1;
#else
    (void)socket;
    return -1;
#endif
}

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

static const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void sha256_block(uint32_t *state, const uint8_t *block) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8
            | block[4 * i + 3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t low = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t high = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t one = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + sha256_constants[i] + w[i];
        uint32_t two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

#if defined(__x86_64__)
// Seven times as fast, where the processor has instructions for it.
__attribute__((target("sha,sse4.1"))) static void sha256_blocks_of_processor(uint32_t *state, const uint8_t *next, size_t blocks) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xF0);
    for (; blocks > 0; blocks--, next += 64) {
        __m128i old_abef = abef, old_cdgh = cdgh, w[4];
        for (int i = 0; i < 4; i++) w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(next + 16 * i)), order);
        _Pragma("clang loop unroll(full)") for (int i = 0; i < 16; i++) {   // or else the words go through memory
            if (i >= 4) {
                __m128i latest = w[(i + 3) & 3];
                __m128i sum = _mm_add_epi32(
                    _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]), _mm_alignr_epi8(latest, w[(i + 2) & 3], 4));
                w[i & 3] = _mm_sha256msg2_epu32(sum, latest);
            }
            __m128i words = _mm_add_epi32(w[i & 3], _mm_loadu_si128((const __m128i *)(sha256_constants + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0E));
        }
        abef = _mm_add_epi32(abef, old_abef);
        cdgh = _mm_add_epi32(cdgh, old_cdgh);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static int processor_has_sha256(void) {
    static int known = -1;   // whoever finds it out finds out the same
    int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (has < 0) {
        unsigned a, b, c, d;
        has = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) && (c & bit_SSSE3)
            && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
        __atomic_store_n(&known, has, __ATOMIC_RELAXED);
    }
    return has;
}
#endif

static void sha256_blocks(uint32_t *state, const uint8_t *next, size_t blocks) {
#if defined(__x86_64__)
    if (processor_has_sha256()) {
        sha256_blocks_of_processor(state, next, blocks);
        return;
    }
#endif
    for (; blocks > 0; blocks--, next += 64) sha256_block(state, next);
}

void logbook_sha256_begin(logbook_sha256 *hash) {
    static const uint32_t start[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memcpy(hash->state, start, sizeof start);
    hash->bytes = 0;
}

void logbook_sha256_add(logbook_sha256 *hash, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    size_t held = hash->bytes % 64;
    hash->bytes += count;
    if (held > 0) {
        size_t room = 64 - held, taken = count < room ? count : room;
        memcpy(hash->block + held, next, taken);
        next += taken, count -= taken;
        if (held + taken < 64) return;
        sha256_blocks(hash->state, hash->block, 1);
    }
    sha256_blocks(hash->state, next, count / 64);
    next += count / 64 * 64, count %= 64;
    if (count > 0) memcpy(hash->block, next, count);
}

void logbook_sha256_end(logbook_sha256 *hash, uint8_t *digest) {
    uint64_t bits = hash->bytes * 8;
    uint8_t pad[72] = {0x80};
    size_t length = (hash->bytes % 64 < 56 ? 56 : 120) - hash->bytes % 64;
    for (int i = 0; i < 8; i++) pad[length + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
    logbook_sha256_add(hash, pad, length + 8);
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 4; j++) digest[4 * i + j] = (uint8_t)(hash->state[i] >> (24 - 8 * j));
    }
}

void logbook_hand_over(void *word, uint64_t value) {
    atomic_store_explicit((_Atomic(uint64_t) *)word, value, memory_order_release);
}

void logbook_populate(void *memory, size_t bytes) {
#if defined(__linux__)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)memory & ~(page - 1);
    uintptr_t end = ((uintptr_t)memory + bytes + page - 1) & ~(page - 1);
    int error = errno;
    madvise((void *)start, end - start, MADV_POPULATE_WRITE);
    errno = error;
#else
    (void)memory;
    (void)bytes;
#endif
}
