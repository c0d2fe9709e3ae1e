#include "CFaultyDatabase.h"

#if __has_include(<sqlite3.h>)
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct faulty_database {
    struct faulty_database *next;
    char *path;
    long failing, calls, faults;
    enum faulty_database_fault fault;
    int lasts;
    int uses;   // by whom made it, and by each open file
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static faulty_database *disks;
static sqlite3_vfs vfs, *base;

struct file {
    sqlite3_file file;
    faulty_database *disk;   // NULL where nothing goes wrong
    _Alignas(16) unsigned char real[];
};

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((struct file *)file)->real; }

static void let_go(faulty_database *disk) {
    if (--disk->uses > 0) return;
    free(disk->path);
    free(disk);
}

/// What is to happen to a call: 0 for what should.
static enum faulty_database_fault begin(faulty_database *disk) {
    if (!disk) return 0;
    enum faulty_database_fault fault = 0;
    pthread_mutex_lock(&lock);
    disk->calls++;
    if (disk->failing && (disk->lasts ? disk->calls >= disk->failing : disk->calls == disk->failing)) {
        disk->faults++;
        fault = disk->fault;
    }
    pthread_mutex_unlock(&lock);
    return fault;
}

static int code(enum faulty_database_fault fault, int error) { return fault == faulty_database_full ? SQLITE_FULL : error; }

// Does a call, or fails it.
#define DO(disk, error, call) do { \
    enum faulty_database_fault fault = begin(disk); \
    if (!fault) return (call); \
    if (fault == faulty_database_late) { int done = (call); (void)done; } \
    return code(fault, error); \
} while (0)

static int x_close(sqlite3_file *file) {
    struct file *own = (struct file *)file;
    int result = real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
    pthread_mutex_lock(&lock);
    if (own->disk) let_go(own->disk);
    pthread_mutex_unlock(&lock);
    return result;
}
static int x_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), buffer, count, offset);
}
static int x_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    enum faulty_database_fault fault = begin(((struct file *)file)->disk);
    if (fault == faulty_database_full || fault == faulty_database_error) return code(fault, SQLITE_IOERR_WRITE);
    int result = real(file)->pMethods->xWrite(real(file), bytes, fault == faulty_database_torn ? count / 2 : count, offset);
    return fault ? SQLITE_IOERR_WRITE : result;
}
static int x_truncate(sqlite3_file *file, sqlite3_int64 size) {
    DO(((struct file *)file)->disk, SQLITE_IOERR_TRUNCATE, real(file)->pMethods->xTruncate(real(file), size));
}
static int x_sync(sqlite3_file *file, int flags) {
    DO(((struct file *)file)->disk, SQLITE_IOERR_FSYNC, real(file)->pMethods->xSync(real(file), flags));
}
static int x_size(sqlite3_file *file, sqlite3_int64 *size) { return real(file)->pMethods->xFileSize(real(file), size); }
static int x_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int x_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int x_is_reserved(sqlite3_file *file, int *result) { return real(file)->pMethods->xCheckReservedLock(real(file), result); }
static int x_control(sqlite3_file *file, int what, void *argument) { return real(file)->pMethods->xFileControl(real(file), what, argument); }
static int x_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int x_characteristics(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
static int x_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    if (!extend) return real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
    DO(((struct file *)file)->disk, SQLITE_IOERR_SHMMAP, real(file)->pMethods->xShmMap(real(file), region, size, extend, memory));
}
static int x_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void x_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int x_shm_unmap(sqlite3_file *file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

static const sqlite3_io_methods methods = {
    .iVersion = 2, .xClose = x_close, .xRead = x_read, .xWrite = x_write, .xTruncate = x_truncate, .xSync = x_sync, .xFileSize = x_size,
    .xLock = x_lock, .xUnlock = x_unlock, .xCheckReservedLock = x_is_reserved, .xFileControl = x_control, .xSectorSize = x_sector,
    .xDeviceCharacteristics = x_characteristics, .xShmMap = x_shm_map, .xShmLock = x_shm_lock, .xShmBarrier = x_shm_barrier,
    .xShmUnmap = x_shm_unmap,
};

/// The disk that a file is on, with one more use of it; NULL for none.
static faulty_database *disk_of(const char *name) {
    if (!name) return NULL;
    pthread_mutex_lock(&lock);
    faulty_database *disk = disks;
    while (disk && strncmp(name, disk->path, strlen(disk->path))) disk = disk->next;
    if (disk) disk->uses++;
    pthread_mutex_unlock(&lock);
    return disk;
}

static int x_open(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out) {
    (void)self;
    struct file *own = (struct file *)file;
    own->file.pMethods = NULL;
    own->disk = disk_of(name);
    int exists = 0;
    if (own->disk) base->xAccess(base, name, SQLITE_ACCESS_EXISTS, &exists);
    enum faulty_database_fault fault = exists ? 0 : begin(own->disk);
    int result = code(fault, SQLITE_CANTOPEN);
    if (!fault || fault == faulty_database_late) {
        result = base->xOpen(base, name, real(file), flags, out);
        if (result == SQLITE_OK && fault) {
            real(file)->pMethods->xClose(real(file));
            result = SQLITE_CANTOPEN;
        }
    }
    if (result == SQLITE_OK) {
        own->file.pMethods = &methods;
    } else if (own->disk) {
        pthread_mutex_lock(&lock);
        let_go(own->disk);
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static int delete(const char *name, int sync, faulty_database *disk) { DO(disk, SQLITE_IOERR_DELETE, base->xDelete(base, name, sync)); }

static int x_delete(sqlite3_vfs *self, const char *name, int sync) {
    (void)self;
    faulty_database *disk = disk_of(name);
    int result = delete(name, sync, disk);
    pthread_mutex_lock(&lock);
    if (disk) let_go(disk);
    pthread_mutex_unlock(&lock);
    return result;
}

static void install(void) {
    base = sqlite3_vfs_find(NULL);
    vfs = *base;   // what it asks of the system otherwise stays as it is
    vfs.pNext = NULL;
    vfs.zName = "faulty";
    vfs.szOsFile = (int)sizeof(struct file) + base->szOsFile;
    vfs.xOpen = x_open;
    vfs.xDelete = x_delete;
    sqlite3_vfs_register(&vfs, 1);
}

faulty_database *faulty_database_make(const char *path) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    faulty_database *disk = calloc(1, sizeof *disk);
    disk->path = strdup(path);
    disk->uses = 1;
    pthread_mutex_lock(&lock);
    disk->next = disks;
    disks = disk;
    pthread_mutex_unlock(&lock);
    return disk;
}

void faulty_database_fail(faulty_database *disk, long call, enum faulty_database_fault fault, int lasts) {
    pthread_mutex_lock(&lock);
    disk->failing = call;
    disk->fault = fault;
    disk->lasts = lasts;
    disk->calls = disk->faults = 0;
    pthread_mutex_unlock(&lock);
}

static long read_under_lock(const long *value) {
    pthread_mutex_lock(&lock);
    long now = *value;
    pthread_mutex_unlock(&lock);
    return now;
}
long faulty_database_calls(faulty_database *disk) { return read_under_lock(&disk->calls); }
long faulty_database_faults(faulty_database *disk) { return read_under_lock(&disk->faults); }

void faulty_database_free(faulty_database *disk) {
    pthread_mutex_lock(&lock);
    faulty_database **next = &disks;
    while (*next && *next != disk) next = &(*next)->next;
    if (*next) *next = disk->next;
    disk->failing = 0;
    let_go(disk);
    pthread_mutex_unlock(&lock);
}
#endif
