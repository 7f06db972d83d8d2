#ifndef SCENEBUS_CPROCESS_H
#define SCENEBUS_CPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the C library knows about a process, and Swift does not show.

/// Returns the number of this process's arguments, with the program's name.
int scenebus_argument_count(void);

/// Returns an argument of this process.
///
/// Swift reads them from /proc, which may not be mounted.
const char *scenebus_argument(int index);

/// Returns whether this process ignores a signal. In Swift, functions cannot be compared.
bool scenebus_is_ignored(int signal);

/// Lets the standard output be written at the end of each line, also if it is a pipe or a file.
void scenebus_buffer_lines(void);

/// Returns how many columns of a terminal a character takes: 0, 1 or 2.
int scenebus_columns(uint32_t character);

#endif
