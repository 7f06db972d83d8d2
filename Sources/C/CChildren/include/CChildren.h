#ifndef SCENEBUS_CCHILDREN_H
#define SCENEBUS_CCHILDREN_H

#include <sys/types.h>

/// The name, as its first argument, under which this executable is not itself but the guard of its host's children. The
/// second argument is a variable with its value that the environment of each child has.
const char *scenebus_guard_name(void);

/// The name, as its first argument, under which this executable sets limits and becomes another program. Further arguments
/// are the limits of memory (in bytes), of open files, of processes and of processor time (in seconds), each a number or '-';
/// '0' for a process that can get no new privileges, or '1'; the path of the program; and its arguments.
///
/// When the program cannot be executed, the last line on the standard error has this name, a colon and the reason, and the
/// process ends with `scenebus_launch_failed`.
const char *scenebus_launch_name(void);
int scenebus_launch_failed(void);

/// The variables of this process's environment, each `NAME=VALUE`, and a null pointer. Nobody may change the environment
/// while they are read.
char **scenebus_environment(void);

/// Opens a descriptor that is readable when the process has exited. -1 with `errno` if that is not possible.
int scenebus_pidfd_open(pid_t process);

/// A process of the group that runs, other than its leader. 0 if there is none, -1 if that cannot be found out.
pid_t scenebus_group_member(pid_t group);

/// Whether the orphans of other processes become children of this one: it is process 1 of its namespace, or a subreaper.
int scenebus_adopts_orphans(void);

/// Writes the ids of children that have exited and not been waited for.
/// - Returns: their number, at most `count`.
int scenebus_exited_children(pid_t *children, int count);

#endif
