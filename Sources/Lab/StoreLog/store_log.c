#define _GNU_SOURCE
#include "store_log.h"

#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct logged_file {
    sqlite3_file base;
    // 0 for a file that is not recorded.
    int number;
    sqlite3_file *real;
};

static sqlite3_vfs *below;
static int (*open_folder)(const char *, int *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static struct store_log_entry *entries;
static int count, capacity, files;

// MARK: - The log

// The name of a file in the recorded folder; NULL for any other file.
static const char *name_of(const char *path) {
    size_t length = strlen(folder);
    if (path == NULL || length == 0 || strncmp(path, folder, length) != 0 || path[length] != '/') return NULL;
    return strchr(path + length + 1, '/') ? NULL : path + length + 1;
}

// Call with the lock held.
static void add(int kind, int file, int64_t value, const char *name, const void *bytes, size_t length) {
    if (count == capacity) {
        capacity = capacity ? capacity * 2 : 1024;
        entries = realloc(entries, sizeof(*entries) * (size_t)capacity);
        if (entries == NULL) abort();
    }
    unsigned char *copy = NULL;
    if (length > 0) {
        copy = malloc(length);
        if (copy == NULL) abort();
        memcpy(copy, bytes, length);
    }
    char *copied_name = name ? strdup(name) : NULL;
    entries[count++] = (struct store_log_entry){kind, file, value, copied_name, copy, length};
}

static void add_of(const struct logged_file *file, int kind, int64_t value, const void *bytes, size_t length) {
    if (file->number == 0) return;
    pthread_mutex_lock(&lock);
    add(kind, file->number, value, NULL, bytes, length);
    pthread_mutex_unlock(&lock);
}

void store_log_record(const char *path) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++) {
        free((void *)entries[i].name);
        free((void *)entries[i].bytes);
    }
    count = 0;
    strncpy(folder, path ? path : "", sizeof(folder) - 1);
    pthread_mutex_unlock(&lock);
}

void store_log_mark(int64_t value) {
    pthread_mutex_lock(&lock);
    add(STORE_LOG_MARK, 0, value, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
}

int store_log_count(void) { return count; }

struct store_log_entry store_log_entry(int index) { return entries[index]; }

// MARK: - Files

#define REAL(file) (((struct logged_file *)(file))->real)

static int log_close(sqlite3_file *file) {
    int code = REAL(file)->pMethods->xClose(REAL(file));
    free(REAL(file));
    return code;
}

static int log_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
    return REAL(file)->pMethods->xRead(REAL(file), bytes, length, offset);
}

static int log_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    int code = REAL(file)->pMethods->xWrite(REAL(file), bytes, length, offset);
    if (code == SQLITE_OK) add_of((struct logged_file *)file, STORE_LOG_WRITE, offset, bytes, (size_t)length);
    return code;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = REAL(file)->pMethods->xTruncate(REAL(file), size);
    if (code == SQLITE_OK) add_of((struct logged_file *)file, STORE_LOG_TRUNCATE, size, NULL, 0);
    return code;
}

// The file that this thread's call of `log_sync` is syncing; NULL once it is recorded. SQLite syncs the file, then its
// folder.
static _Thread_local const struct logged_file *syncing;

static int log_sync(sqlite3_file *file, int flags) {
    syncing = (struct logged_file *)file;
    int code = REAL(file)->pMethods->xSync(REAL(file), flags);
    // Recorded here unless `log_open_folder` has recorded it, because the file is synced before its folder.
    if (syncing && code == SQLITE_OK) add_of(syncing, STORE_LOG_SYNC, 0, NULL, 0);
    syncing = NULL;
    return code;
}

// SQLite opens a folder only to sync it.
static int log_open_folder(const char *path, int *descriptor) {
    int code = open_folder(path, descriptor);
    if (syncing) add_of(syncing, STORE_LOG_SYNC, 0, NULL, 0);
    syncing = NULL;
    pthread_mutex_lock(&lock);
    if (code == SQLITE_OK && name_of(path)) add(STORE_LOG_SYNC_FOLDER, 0, 0, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
    return code;
}

static int log_file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return REAL(file)->pMethods->xFileSize(REAL(file), size);
}
static int log_lock(sqlite3_file *file, int level) { return REAL(file)->pMethods->xLock(REAL(file), level); }
static int log_unlock(sqlite3_file *file, int level) { return REAL(file)->pMethods->xUnlock(REAL(file), level); }
static int log_check(sqlite3_file *file, int *result) {
    return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result);
}
static int log_control(sqlite3_file *file, int operation, void *argument) {
    return REAL(file)->pMethods->xFileControl(REAL(file), operation, argument);
}
static int log_sector_size(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }
static int log_characteristics(sqlite3_file *file) {
    return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}
// Shared memory is not recorded, because it is lost at a power cut.
static int log_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, memory);
}
static int log_shm_lock(sqlite3_file *file, int offset, int n, int flags) {
    return REAL(file)->pMethods->xShmLock(REAL(file), offset, n, flags);
}
static void log_shm_barrier(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }
static int log_shm_unmap(sqlite3_file *file, int removes) {
    return REAL(file)->pMethods->xShmUnmap(REAL(file), removes);
}

// Version 2, which has no memory-mapped reads and writes: they would bypass the log.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_file_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_check,
    .xFileControl = log_control,
    .xSectorSize = log_sector_size,
    .xDeviceCharacteristics = log_characteristics,
    .xShmMap = log_shm_map,
    .xShmLock = log_shm_lock,
    .xShmBarrier = log_shm_barrier,
    .xShmUnmap = log_shm_unmap,
};

// MARK: - The folder

static int log_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    struct logged_file *logged = (struct logged_file *)file;
    memset(logged, 0, sizeof(*logged));
    logged->real = calloc(1, (size_t)below->szOsFile);
    if (logged->real == NULL) return SQLITE_NOMEM;
    int is_new = path && access(path, F_OK) != 0;
    int code = below->xOpen(below, path, logged->real, flags, out);
    // If the file has methods, it must be closed even when opening it failed.
    if (logged->real->pMethods == NULL) {
        free(logged->real);
        return code;
    }
    logged->base.pMethods = &methods;
    pthread_mutex_lock(&lock);
    const char *name = code == SQLITE_OK ? name_of(path) : NULL;
    if (name) {
        logged->number = ++files;
        add(STORE_LOG_OPEN, logged->number, is_new, name, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int log_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    // The removal is recorded first, because the call below syncs the folder after removing the file.
    pthread_mutex_lock(&lock);
    const char *name = name_of(path);
    if (name && access(path, F_OK) == 0) add(STORE_LOG_REMOVE, 0, 0, name, NULL, 0);
    pthread_mutex_unlock(&lock);
    return below->xDelete(below, path, syncs);
}

int store_log_install(void) {
    static sqlite3_vfs vfs;
    pthread_mutex_lock(&lock);
    int code = SQLITE_OK;
    if (below == NULL) {
        below = sqlite3_vfs_find("unix");
        code = below ? SQLITE_OK : SQLITE_ERROR;
        if (below) {
            // All other methods are those of the default VFS.
            vfs = *below;
            vfs.pNext = NULL;
            vfs.zName = "store-log";
            vfs.szOsFile = sizeof(struct logged_file);
            vfs.xOpen = log_open;
            vfs.xDelete = log_delete;
            open_folder = (int (*)(const char *, int *))below->xGetSystemCall(below, "openDirectory");
            code = open_folder
                ? below->xSetSystemCall(below, "openDirectory", (sqlite3_syscall_ptr)log_open_folder)
                : SQLITE_ERROR;
            if (code == SQLITE_OK) code = sqlite3_vfs_register(&vfs, 1);
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}
