#ifndef STORE_LOG_H
#define STORE_LOG_H

#include <stddef.h>
#include <stdint.h>

// Records SQLite's operations on the files of one folder in order, for tests that replay them to reconstruct the disk
// after a power cut.
//
// It is a VFS on top of SQLite's default one, used by all databases that are opened after `store_log_install`. It does
// not change any operation. Only one folder is recorded at a time.

enum store_log_kind {
    // The file `name` was opened. It was created if `value` is 1.
    STORE_LOG_OPEN = 1,
    // `length` bytes were written at `value`.
    STORE_LOG_WRITE,
    // The file was truncated to `value` bytes.
    STORE_LOG_TRUNCATE,
    // The file was synced to the disk.
    STORE_LOG_SYNC,
    // `name` was removed.
    STORE_LOG_REMOVE,
    // The folder was synced to the disk.
    STORE_LOG_SYNC_FOLDER,
    // The test has set the mark `value`.
    STORE_LOG_MARK,
};

struct store_log_entry {
    int kind;
    // The number of the open file to which it belongs; 0 for none.
    int file;
    int64_t value;
    // The file's name in the folder; NULL for none.
    const char *_Nullable name;
    const unsigned char *_Nullable bytes;
    size_t length;
};

// Returns 0, or SQLite's error code.
int store_log_install(void);

// Clears the log, and starts to record the operations in this folder. NULL stops recording.
void store_log_record(const char *_Nullable folder);

void store_log_mark(int64_t value);

int store_log_count(void);

// The recorded operations, valid until the next `store_log_record`.
struct store_log_entry store_log_entry(int index);

#endif
