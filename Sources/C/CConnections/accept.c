#define _GNU_SOURCE
#include "CConnections.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// libzmq 4.3 aborts the process when `accept` fails on a Unix-domain socket because no descriptor is left, so any peer
// could end the host by opening enough connections. These functions are defined in the executable and replace those of
// the C library. They keep one spare descriptor. When no other is left, they accept the connection with it and close it
// at once. To libzmq this looks as if the peer had closed the connection.

static atomic_int spare = -1;
static atomic_ulong surplus;

unsigned long scenebus_surplus_connections(void) { return atomic_load(&surplus); }

static void keep_one(void) {
    int none = -1, descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0 && !atomic_compare_exchange_strong(&spare, &none, descriptor)) close(descriptor);
}

__attribute__((constructor)) static void begin(void) { keep_one(); }

int accept4(int listener, struct sockaddr *restrict address, socklen_t *restrict length, int flags) {
    int connection = (int)syscall(SYS_accept4, listener, address, length, flags);
    if (connection >= 0 || (errno != EMFILE && errno != ENFILE)) return connection;
    int kept = atomic_exchange(&spare, -1);
    if (kept >= 0) {
        close(kept);
        connection = (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection >= 0) {
            close(connection);
            atomic_fetch_add(&surplus, 1);
        }
    }
    // Reopened also when another thread has used the spare one: a descriptor may be free again.
    keep_one();
    errno = ECONNABORTED;
    return -1;
}

int accept(int listener, struct sockaddr *restrict address, socklen_t *restrict length) {
    return accept4(listener, address, length, 0);
}
