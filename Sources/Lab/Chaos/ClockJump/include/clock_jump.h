#ifndef CLOCK_JUMP_H
#define CLOCK_JUMP_H

/// From now on this process's time of day is wrong by as many seconds as a file says: eight bytes, a signed integer of the
/// machine's order. It follows the file at once. Other clocks stay right.
///
/// There is no such thing as a time of day of one process: the functions that tell it are replaced in whoever links this.
/// Waits until a time of day are the kernel's, and do not jump; nothing here waits so.
/// \return 0, or -1 with `errno`.
int clock_jump_follow(const char *path);

#endif
