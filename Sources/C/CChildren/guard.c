#define _GNU_SOURCE
#include "CChildren.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// A host that is killed cannot end its children, and the kernel's signal at the death of a parent reaches only direct
// children, not the program that a script has started. The host therefore starts its own executable once more under
// another name. Then nothing of it runs but this file: it is told of each process group that the host starts and ends,
// and when the host is gone for any reason, its input ends, and it ends the groups that are left.
//
// A host may be killed while it starts a child, before it has told of the child's group. It therefore also tells when a
// start begins. If one has not ended at the end of the input, the guard looks for the child by a variable in its
// environment, again and again, because a child has this variable only when its own program runs.

/// How long the groups have to end after SIGTERM, and the time between two looks, in milliseconds.
enum { END_LIMIT = 3000, LOOK_INTERVAL = 20 };

static pid_t *groups;
static size_t group_count, group_room;
/// The number of starts that have begun and whose groups are not known.
static int starts;
/// The variable of the children, with its value.
static const char *mark = "";

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

/// Whether a process has the variable in its environment.
static int has_mark(pid_t process) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const size_t length = strlen(mark);
    size_t matched = 0;
    int may_match = length > 0, is_found = 0;
    // Each variable ends with a zero.
    for (ssize_t count; !is_found && (count = read(file, text, sizeof text)) > 0;) {
        for (ssize_t i = 0; i < count && !is_found; i++) {
            if (text[i] == 0) {
                is_found = may_match && matched == length;
                matched = 0;
                may_match = length > 0;
            } else if (may_match && matched < length && text[i] == mark[matched]) {
                matched++;
            } else {
                may_match = 0;
            }
        }
    }
    close(file);
    return is_found;
}

static int is_known(pid_t group) {
    for (size_t i = 0; i < group_count; i++) {
        if (groups[i] == group) return 1;
    }
    return 0;
}

/// Adds the groups of children of which the host could not tell, and asks them to end.
static void find_started(void) {
    DIR *processes = opendir("/proc");
    if (!processes) return;
    for (struct dirent *entry; (entry = readdir(processes));) {
        pid_t process = (pid_t)atoi(entry->d_name);
        // A child leads a group in the session of the host. One that has left the session is not ended.
        if (process <= 1 || getpgid(process) != process || getsid(process) != getsid(0)) continue;
        if (is_known(process) || !has_mark(process)) continue;
        add(process);
        kill(-process, SIGTERM);
        kill(-process, SIGCONT);
    }
    closedir(processes);
}

static void guard(void) {
    const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    syscall(SYS_close_range, 3, ~0U, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // It must not keep a file system from being unmounted.
    if (chdir("/") != 0) _exit(1);
    // One number for each message: a group that was started, or the negative of one that has ended; 1 for a start that
    // begins, and -1 for one that has ended.
    for (pid_t number; read(STDIN_FILENO, &number, sizeof number) == (ssize_t)sizeof number;) {
        if (number > 1) add(number);
        if (number < -1) forget(-number);
        if (number == 1) starts++;
        if (number == -1) starts--;
    }
    signal_groups(SIGTERM);
    // A stopped process handles the signal only when it goes on.
    signal_groups(SIGCONT);
    for (int waited = 0; (group_count > 0 || starts > 0) && waited < END_LIMIT; waited += LOOK_INTERVAL) {
        poll(NULL, 0, LOOK_INTERVAL);
        if (starts > 0) find_started();
        signal_groups(0);
    }
    signal_groups(SIGKILL);
    _exit(0);
}

// A function, so that whoever starts a guard has this file linked into the executable.
const char *scenebus_guard_name(void) { return "scenebus-guard"; }

// Before everything else of the executable.
__attribute__((constructor(101))) static void begin(int count, char **arguments) {
    if (count == 0 || strcmp(arguments[0], scenebus_guard_name()) != 0) return;
    if (count > 1) mark = arguments[1];
    guard();
}
