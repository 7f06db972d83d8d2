#define _GNU_SOURCE
#include "CChildren.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// A host that is killed cannot end its children, and the kernel's signal at the death of a parent reaches only direct
// children, not the program that a script has started. The host therefore starts its own executable once more under
// another name. Then nothing of it runs but this file: it is told of each process group that the host starts and ends,
// and when the host is gone for any reason, its input ends, and it ends the groups that are left.

/// How long the groups have to end after SIGTERM, and the time between two looks, in milliseconds.
enum { END_LIMIT = 3000, LOOK_INTERVAL = 20 };

static pid_t *groups;
static size_t group_count, group_room;

static void add(pid_t group) {
    if (group_count == group_room) {
        size_t room = group_room ? 2 * group_room : 64;
        pid_t *more = realloc(groups, room * sizeof *groups);
        if (!more) return;
        groups = more;
        group_room = room;
    }
    groups[group_count++] = group;
}

static void forget(pid_t group) {
    for (size_t i = 0; i < group_count; i++) {
        if (groups[i] == group) {
            groups[i] = groups[--group_count];
            return;
        }
    }
}

/// Sends a signal to the groups, and forgets those without a process.
static void signal_groups(int number) {
    for (size_t i = group_count; i-- > 0;) {
        // An id that is free again is used for a new group only after all others have been.
        if (kill(-groups[i], number) != 0) forget(groups[i]);
    }
}

static void guard(void) {
    const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    syscall(SYS_close_range, 3, ~0U, 0);
    // It must not keep a file system from being unmounted.
    if (chdir("/") != 0) _exit(1);
    // One number for each message: a group that was started, or the negative of one that has ended.
    for (pid_t number; read(STDIN_FILENO, &number, sizeof number) == (ssize_t)sizeof number;) {
        if (number > 1) add(number);
        if (number < -1) forget(-number);
    }
    signal_groups(SIGTERM);
    // A stopped process handles the signal only when it goes on.
    signal_groups(SIGCONT);
    for (int waited = 0; group_count > 0 && waited < END_LIMIT; waited += LOOK_INTERVAL) {
        poll(NULL, 0, LOOK_INTERVAL);
        signal_groups(0);
    }
    signal_groups(SIGKILL);
    _exit(0);
}

// A function, so that whoever starts a guard has this file linked into the executable.
const char *scenebus_guard_name(void) { return "scenebus-guard"; }

// Before everything else of the executable.
__attribute__((constructor(101))) static void begin(int count, char **arguments) {
    if (count > 0 && strcmp(arguments[0], scenebus_guard_name()) == 0) guard();
}
