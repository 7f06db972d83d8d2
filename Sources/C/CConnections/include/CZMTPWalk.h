#ifndef SCENEBUS_CZMTPWALK_H
#define SCENEBUS_CZMTPWALK_H

#include <stddef.h>
#include <stdint.h>

/// What is wrong with the bytes that have arrived over a connection to the bus; 0 for nothing.
typedef enum {
    SCENEBUS_NOTHING_WRONG = 0,
    /// The peer does not speak ZMTP 3. In earlier versions, it would set its routing id outside of the handshake.
    SCENEBUS_OTHER_ZMTP,
    /// The peer sets a routing id.
    SCENEBUS_SETS_ROUTING_ID,
    /// A message has several parts. libzmq keeps all parts until the last one has arrived.
    SCENEBUS_SEVERAL_PARTS,
    /// More has arrived, or is announced, than the host keeps of a connection without a link.
    SCENEBUS_TOO_MUCH_UNREAD,
} scenebus_wrong;

/// How far a connection's bytes were walked: the greeting, the frame of the handshake, and then frame after frame. Zero
/// for a new connection. It keeps no bytes, so the pieces in which they arrive may be cut anywhere.
typedef struct {
    /// How many bytes are left of the frame. While its size is read, the part of the size that has been read.
    uint64_t frame;
    /// How many bytes of the current field are left, or, of the greeting, have been read.
    uint32_t field;
    /// The part of a property's length that has been read.
    uint32_t length;
    uint8_t place;
    /// The length of a property's name, and whether the name is "Identity" so far.
    uint8_t name;
    uint8_t is_identity;
    uint8_t is_ready;
} scenebus_walk;

/// Walks over the next bytes of a connection.
/// - Returns: The first thing that is wrong. Nothing more may be walked then.
scenebus_wrong scenebus_walk_over(scenebus_walk *walk, const uint8_t *bytes, size_t count);

#endif
