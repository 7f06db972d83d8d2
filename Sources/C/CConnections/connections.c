#define _GNU_SOURCE
#include "CConnections.h"
#include "reading.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// libzmq 4.3 aborts the process when `accept` fails on a Unix-domain socket because no descriptor is left, and it accepts
// every connection, however many a peer opens and whatever it sends over them. These functions are defined in the
// executable and replace those of the C library:
//
// - `accept` asks the watcher whether a connection is kept, and closes it otherwise. To libzmq this looks as if the peer
//   had closed the connection. One spare descriptor is kept, to accept and close a connection when no other is left.
// - `listen` notes whose connections a listener accepts. A listener that was replaced accepts none any more.
// - `recv` tells the watcher when a connection ends. Of a connection to the publisher it tells how much has arrived. Of one
//   to the bus it walks over the frames, and lets nothing through that libzmq must not see: it aborts when the routing id
//   that it generates for one peer was set by another, and it keeps all parts of a message whose last part never comes.

static atomic_int spare = -1;
static atomic_ulong surplus;

unsigned long scenebus_surplus_connections(void) { return atomic_load(&surplus); }

static void keep_one(void) {
    int none = -1, descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0 && !atomic_compare_exchange_strong(&spare, &none, descriptor)) close(descriptor);
}

__attribute__((constructor)) static void begin(void) { keep_one(); }

int scenebus_peer_process(int connection) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

// The gates, by descriptor: four times the number of the gate, plus one if what arrives is counted, plus two if peers have
// keys; 0 for none. A process listens before it has many descriptors, and pages that are not used take no memory.
enum { IS_METERED = 1, HAS_KEYS = 2, FLAGS = 4 };
enum { LISTENERS = 1 << 16, CONNECTIONS = 1 << 20 };
static atomic_int listeners[LISTENERS];
static atomic_int connections[CONNECTIONS];
static _Thread_local int listening;
// The descriptor on which this thread has listened last.
static _Thread_local int last_listener = -1;
// Instead of a gate: another descriptor of the same listening socket accepts the connections.
enum { REPLACED = -1 };
static scenebus_accepted *_Atomic accepted;
static scenebus_admitted *_Atomic admitted;
static scenebus_received *_Atomic received;
static scenebus_broken *_Atomic broken;
// Only the thread that accepts a connection reads it, and it alone uses the walk.
static scenebus_walk walks[CONNECTIONS];
// What the system calls the connection. libzmq also closes connections whose end `recv` has not seen, and then the
// descriptor may be that of any other socket of this process.
static _Atomic uint64_t cookies[CONNECTIONS];
// The beginnings of the keys that encrypt the messages; 0 before the end of a handshake.
static _Atomic uint64_t keys[CONNECTIONS];
// One more than the largest descriptor of a connection that was watched.
static atomic_int watched;
// The watched connection from which this thread has received last; -1 for another one.
static _Thread_local int reading = -1;
// How many bytes may arrive.
static atomic_long allowances[CONNECTIONS];

void scenebus_watch_connections(
    scenebus_accepted *when_accepted, scenebus_admitted *when_admitted, scenebus_received *when_received,
    scenebus_broken *when_broken) {
    atomic_store(&accepted, when_accepted);
    atomic_store(&admitted, when_admitted);
    atomic_store(&received, when_received);
    atomic_store(&broken, when_broken);
}

void scenebus_allow(int connection, long count) {
    if (connection >= 0 && connection < CONNECTIONS) atomic_store(&allowances[connection], count);
}

// Whether so many bytes may arrive, and then the rest of a frame: libzmq takes the room for all of it when it has its size.
static bool is_allowed(int connection, long count, uint64_t rest) {
    // Nothing is written while any number is allowed. The half is for a count that is subtracted at that moment.
    if (atomic_load_explicit(&allowances[connection], memory_order_relaxed) > LONG_MAX / 2) return true;
    long left = atomic_fetch_sub(&allowances[connection], count) - count;
    return left >= 0 && rest <= (uint64_t)left;
}

void scenebus_listen_for(int gate, scenebus_watch watch) {
    listening = gate == 0 ? 0 : gate * FLAGS + (watch.is_metered ? IS_METERED : 0) + (watch.has_keys ? HAS_KEYS : 0);
}

int listen(int listener, int backlog) {
    if (listener >= 0 && listener < LISTENERS) atomic_store(&listeners[listener], listening);
    last_listener = listener;
    return (int)syscall(SYS_listen, listener, backlog);
}

int scenebus_last_listener(void) { return last_listener; }

int scenebus_copy_listener(int listener) {
    int copy = fcntl(listener, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0 && copy < LISTENERS && listener >= 0 && listener < LISTENERS)
        atomic_store(&listeners[copy], atomic_load(&listeners[listener]));
    return copy;
}

void scenebus_replace_listener(int listener) {
    if (listener >= 0 && listener < LISTENERS) atomic_store(&listeners[listener], REPLACED);
}

static bool is_replaced(int listener) {
    return listener >= 0 && listener < LISTENERS && atomic_load(&listeners[listener]) == REPLACED;
}

uint64_t scenebus_cookie(int connection) {
    uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    return getsockopt(connection, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

static bool is_kept(int listener, int connection) {
    int gate = listener >= 0 && listener < LISTENERS ? atomic_load(&listeners[listener]) : 0;
    if (connection >= CONNECTIONS) return gate == 0;
    // Before the watcher knows the connection, its descriptor's last one is forgotten.
    atomic_store(&connections[connection], 0);
    if (gate == 0) return true;
    walks[connection] = (scenebus_walk){0};
    atomic_store(&cookies[connection], scenebus_cookie(connection));
    atomic_store(&keys[connection], 0);
    int count = atomic_load(&watched);
    while (count <= connection && !atomic_compare_exchange_weak(&watched, &count, connection + 1)) {}
    scenebus_accepted *is_accepted = atomic_load(&accepted);
    if (is_accepted == NULL) return true;
    scenebus_watch watch = {.is_metered = (gate & IS_METERED) != 0, .has_keys = (gate & HAS_KEYS) != 0};
    if (!is_accepted(gate / FLAGS, connection, watch)) return false;
    atomic_store(&connections[connection], gate);
    return true;
}

int accept4(int listener, struct sockaddr *restrict address, socklen_t *restrict length, int flags) {
    if (is_replaced(listener)) {
        errno = EAGAIN;
        return -1;
    }
    int connection = (int)syscall(SYS_accept4, listener, address, length, flags);
    if (connection >= 0) {
        if (is_kept(listener, connection)) return connection;
        close(connection);
        errno = ECONNABORTED;
        return -1;
    }
    if (errno != EMFILE && errno != ENFILE) return connection;
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

static scenebus_wrong wrong_with(int connection, const void *bytes, long count) {
    scenebus_wrong wrong = scenebus_walk_over(&walks[connection], bytes, (size_t)count);
    if (wrong != SCENEBUS_NOTHING_WRONG) return wrong;
    bool allowed = is_allowed(connection, count, walks[connection].frame);
    return allowed ? SCENEBUS_NOTHING_WRONG : SCENEBUS_TOO_MUCH_UNREAD;
}

// Ends the watch of a connection, over which something wrong has come.
static bool is_broken(int connection, scenebus_wrong wrong) {
    int gate = atomic_load(&connections[connection]);
    if (gate == 0) return false;
    atomic_store(&connections[connection], 0);
    if (scenebus_cookie(connection) != atomic_load(&cookies[connection])) return false;
    atomic_load(&broken)(gate / FLAGS, connection, wrong);
    return true;
}

bool scenebus_break_reading(scenebus_wrong wrong) {
    int connection = reading;
    reading = -1;
    return connection >= 0 && is_broken(connection, wrong);
}

static uint64_t beginning(const unsigned char *key) {
    uint64_t number;
    memcpy(&number, key, sizeof number);
    return number;
}

void scenebus_note_key(const unsigned char *key) {
    if (reading >= 0) atomic_store(&keys[reading], beginning(key));
}

// The watched connection whose messages a key encrypts; -1 for none.
static int connection_of(const unsigned char *key) {
    uint64_t number = beginning(key);
    if (reading >= 0 && atomic_load(&keys[reading]) == number) return reading;
    for (int connection = 0, count = atomic_load(&watched); connection < count; connection++) {
        // The descriptor may be that of another socket by now, even of the peer if that is in this process.
        if (atomic_load_explicit(&keys[connection], memory_order_relaxed) == number
            && atomic_load(&connections[connection]) != 0
            && scenebus_cookie(connection) == atomic_load(&cookies[connection]))
            return connection;
    }
    return -1;
}

void scenebus_end_handshake(const unsigned char *key) {
    int connection = connection_of(key);
    if (connection >= 0) atomic_load(&admitted)(atomic_load(&connections[connection]) / FLAGS, connection);
}

bool scenebus_break_key(const unsigned char *key, scenebus_wrong wrong) {
    int connection = connection_of(key);
    return connection >= 0 && is_broken(connection, wrong);
}

// Hot path: libzmq calls it for each piece of what peers send. It reads the head of each message, and takes no lock.
ssize_t recv(int connection, void *buffer, size_t size, int flags) {
    ssize_t count = syscall(SYS_recvfrom, connection, buffer, size, flags, NULL, NULL);
    if (connection < 0 || connection >= CONNECTIONS) return count;
    int gate = atomic_load_explicit(&connections[connection], memory_order_relaxed);
    reading = gate == 0 ? -1 : connection;
    if (gate == 0) return count;
    if (count > 0 && (gate & IS_METERED) == 0) {
        scenebus_wrong wrong = wrong_with(connection, buffer, count);
        if (wrong == SCENEBUS_NOTHING_WRONG) return count;
        if (!is_broken(connection, wrong)) return count;
        errno = ECONNRESET;
        return -1;
    }
    int error = errno;
    if (count < 0 && (error == EAGAIN || error == EINTR)) return count;
    if (count <= 0) atomic_store(&connections[connection], 0);
    if (atomic_load(&received)(gate / FLAGS, connection, count > 0 ? count : 0)) {
        errno = error;
        return count;
    }
    errno = ECONNRESET;
    return -1;
}
