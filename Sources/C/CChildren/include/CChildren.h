#ifndef SCENEBUS_CCHILDREN_H
#define SCENEBUS_CCHILDREN_H

#include <sys/types.h>

/// The name, as its first argument, under which this executable is not itself but the guard of its host's children. The
/// second argument is a variable with its value that the environment of each child has.
const char *scenebus_guard_name(void);

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
