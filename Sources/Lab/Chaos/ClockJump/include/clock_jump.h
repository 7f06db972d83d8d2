#ifndef CLOCK_JUMP_H
#define CLOCK_JUMP_H

/// Shifts this process's time of day by the number of seconds in a file: a signed integer of eight bytes in native byte
/// order. Changes of the file take effect at once. Other clocks are not affected.
///
/// The kernel has no time of day per process, so the functions that return it are replaced in every program that links
/// this library. The kernel's waits until a time of day are not shifted; no code here uses them.
/// \return 0, or -1 with `errno`.
int clock_jump_follow(const char *path);

#endif
