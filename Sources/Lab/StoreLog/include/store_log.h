#ifndef STORE_LOG_H
#define STORE_LOG_H

#include <stddef.h>
#include <stdint.h>

// What SQLite does to the files of one folder, in order, for tests that replay it as a disk would have it after a power cut.
//
// A layer over SQLite's own way to the files (a VFS), which all databases take that are opened after `store_log_install`. It
// changes nothing. One folder is recorded at a time.

enum store_log_kind {
    // A file was opened: `name`. It was made when `value` is 1.
    STORE_LOG_OPEN = 1,
    // `length` bytes were written at `value`.
    STORE_LOG_WRITE,
    // The file was made `value` bytes long.
    STORE_LOG_TRUNCATE,
    // What was written to the file is on the disk.
    STORE_LOG_SYNC,
    // `name` was removed.
    STORE_LOG_REMOVE,
    // The names of the folder are on the disk.
    STORE_LOG_SYNC_FOLDER,
    // The test said `value`.
    STORE_LOG_MARK,
};

struct store_log_entry {
    int kind;
    // Which opening of a file it belongs to; 0 for none.
    int file;
    int64_t value;
    // The file's name in the folder; NULL for none.
    const char *_Nullable name;
    const unsigned char *_Nullable bytes;
    size_t length;
};

// Returns 0, or SQLite's error code.
int store_log_install(void);

// Forgets what was recorded, and records what is done in this folder. NULL ends it.
void store_log_record(const char *_Nullable folder);

void store_log_mark(int64_t value);

int store_log_count(void);

// What is recorded, valid until the next `store_log_record`.
struct store_log_entry store_log_entry(int index);

#endif
