#ifndef SCENEBUS_CCONNECTIONS_H
#define SCENEBUS_CCONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "CZMTPWalk.h"

/// The number of connections that this process has accepted and closed at once because no descriptor was left for them.
unsigned long scenebus_surplus_connections(void);

/// The process at the other end of a Unix-domain socket, as it was when it connected; 0 if it is not known.
int scenebus_peer_process(int connection);

/// The system's number of a socket, which is not used again; 0 for a descriptor that is no socket.
uint64_t scenebus_cookie(int connection);

/// How the connections to an address are watched.
typedef struct {
    /// Whether it is told how many bytes have arrived.
    bool is_metered;
    /// Whether their peers must have keys.
    bool has_keys;
} scenebus_watch;

/// Decides whether a connection that was accepted is kept. Otherwise it is closed at once.
typedef bool scenebus_accepted(int gate, int connection, scenebus_watch watch);

/// Told that the key of a connection's peer was accepted, before the peer learns of it.
typedef void scenebus_admitted(int gate, int connection);

/// Told how many bytes have arrived over a metered connection, and, with 0, that any connection has ended.
/// Returns whether they may be read. Otherwise the connection is closed.
typedef bool scenebus_received(int gate, int connection, long count);

/// Told what is wrong with what has arrived over a connection that is not metered. It is closed.
typedef void scenebus_broken(int gate, int connection, scenebus_wrong wrong);

/// Sets the functions that decide about connections. They are called on the threads that accept and read them.
void scenebus_watch_connections(
    scenebus_accepted *accepted, scenebus_admitted *admitted, scenebus_received *received, scenebus_broken *broken);

/// Sets how many bytes may arrive from now on over a connection that is not metered; `LONG_MAX` for any number.
void scenebus_allow(int connection, long count);

/// Makes the functions decide about the connections to the addresses on which this thread listens from now on.
/// `gate` and `watch` are passed to the functions; with the gate 0, nobody decides.
void scenebus_listen_for(int gate, scenebus_watch watch);

/// The descriptor on which this thread has listened last; -1 for none.
int scenebus_last_listener(void);

/// Copies a listening descriptor, with the gate of its connections. Returns -1 and sets `errno` on failure.
int scenebus_copy_listener(int listener);

/// Makes a listening descriptor accept nothing any more. Connections that it has accepted are kept. A copy of it must accept
/// what comes.
void scenebus_replace_listener(int listener);

#endif
