#define _GNU_SOURCE
#include "CChildren.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

char **scenebus_environment(void) { return environ; }

int scenebus_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// Reads the state and the parent of a process. The state of one that is gone is 'X'.
static char read_state(pid_t process, pid_t *parent) {
    char path[64], text[512];
    *parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 'X';
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return 'X';
    text[length] = 0;
    // The command before them is in parentheses, and may contain anything.
    const char *end = strrchr(text, ')');
    char state = 'X';
    int number = 0;
    if (!end || sscanf(end + 1, " %c %d", &state, &number) != 2) return 'X';
    *parent = (pid_t)number;
    return state;
}

/// The next process of an open /proc; 0 after the last.
static pid_t next_process(DIR *processes) {
    for (struct dirent *entry; (entry = readdir(processes));) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') return (pid_t)atoi(entry->d_name);
    }
    return 0;
}

pid_t scenebus_group_member(pid_t group) {
    DIR *processes = opendir("/proc");
    if (!processes) return -1;
    pid_t found = 0, parent;
    for (pid_t process; !found && (process = next_process(processes));) {
        if (process == group || getpgid(process) != group) continue;
        char state = read_state(process, &parent);
        if (state != 'Z' && state != 'X') found = process;
    }
    closedir(processes);
    return found;
}

int scenebus_adopts_orphans(void) {
    int is_subreaper = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper) == 0 && is_subreaper);
}

int scenebus_exited_children(pid_t *children, int count) {
    siginfo_t first;
    first.si_pid = 0;
    // Without WNOWAIT this would take the status from the code that waits for it.
    if (waitid(P_ALL, 0, &first, WEXITED | WNOHANG | WNOWAIT) != 0 || first.si_pid == 0) return 0;
    DIR *processes = opendir("/proc");
    if (!processes) return 0;
    int found = 0;
    pid_t parent;
    for (pid_t process; found < count && (process = next_process(processes));) {
        if (read_state(process, &parent) == 'Z' && parent == getpid()) children[found++] = process;
    }
    closedir(processes);
    return found;
}
