#ifndef SCENEBUS_READING_H
#define SCENEBUS_READING_H

#include <stdbool.h>

#include "CZMTPWalk.h"

/// Tells what is wrong with what this thread has received last.
/// - Returns: whether it came over a watched connection, which libzmq must close. The descriptor may be that of another socket
///   of this process by now.
bool scenebus_break_reading(scenebus_wrong wrong);

/// Notes the key that encrypts the messages of the connection from which this thread has received last.
void scenebus_note_key(const unsigned char *key);

/// Tells that the peer of a connection, whose messages a key encrypts, has completed its handshake.
void scenebus_end_handshake(const unsigned char *key);

/// Tells what is wrong with a message that was encrypted with a key. libzmq may have received it long ago: it keeps what it has
/// no room for, and this thread has received from other connections since.
/// - Returns: whether it came over a watched connection, which libzmq must close.
bool scenebus_break_key(const unsigned char *key, scenebus_wrong wrong);

#endif
