#define _GNU_SOURCE
#include "CChildren.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Limits and privileges must be set in a child before its program runs, and what starts the processes here has no place
// for that. The host therefore starts its own executable once more under another name. Then nothing of it runs but this
// file: it sets the limits and becomes the program. The process stays the same, and so do its id and its group.

/// Where the program cannot be executed, as in a shell.
enum { FAILED = 127 };

/// Ends the process with a line that the host recognizes.
__attribute__((noreturn)) static void fail(const char *what, const char *reason) {
    dprintf(STDERR_FILENO, "%s: %s: %s\n", scenebus_launch_name(), what, reason);
    _exit(FAILED);
}

/// Sets a limit that is a number, or '-' for none. It cannot raise what the host itself may use at most.
/// - Parameter more: by how much the hard limit, at which the kernel does not ask any more, is above the soft one.
static void set_limit(int resource, const char *name, const char *text, rlim_t more) {
    if (strcmp(text, "-") == 0) return;
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) fail(name, strerror(errno));
    rlim_t wanted = (rlim_t)strtoull(text, NULL, 10);
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted + more) limit.rlim_max = wanted + more;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (setrlimit(resource, &limit) != 0) fail(name, strerror(errno));
}

/// Why the program was not executed, with the way out where there is one.
static const char *reason(int error, const char *program) {
    if (error == ENOEXEC) {
        return "it is neither a program for this machine nor a script that begins with '#!'";
    }
    if (error == ENOENT && access(program, F_OK) == 0) {
        return "the interpreter that its first line names with '#!', or its dynamic loader, is missing";
    }
    if (error == EACCES) {
        return "this user may not execute it, or what its first line names with '#!'; or a mount with 'noexec' forbids it";
    }
    return strerror(error);
}

static void launch(char **arguments) {
    set_limit(RLIMIT_DATA, "limits.memoryMegabytes", arguments[0], 0);
    set_limit(RLIMIT_NOFILE, "limits.openFiles", arguments[1], 0);
    set_limit(RLIMIT_NPROC, "limits.processes", arguments[2], 0);
    // SIGXCPU at the soft limit, and SIGKILL for a program that goes on in spite of it.
    set_limit(RLIMIT_CPU, "limits.cpuSeconds", arguments[3], 3);
    if (strcmp(arguments[4], "0") == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        fail("newPrivileges", strerror(errno));
    }
    // What a library has opened before this function was called.
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    execv(arguments[5], arguments + 5);
    fail(arguments[5], reason(errno, arguments[5]));
}

// A function, so that whoever starts a process by it has this file linked into the executable.
const char *scenebus_launch_name(void) { return "scenebus-launch"; }

int scenebus_launch_failed(void) { return FAILED; }

// Before everything else of the executable.
__attribute__((constructor(101))) static void begin(int count, char **arguments) {
    if (count > 6 && strcmp(arguments[0], scenebus_launch_name()) == 0) launch(arguments + 1);
}
