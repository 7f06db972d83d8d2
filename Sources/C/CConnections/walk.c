#include "CZMTPWalk.h"

#include <ctype.h>
#include <stdbool.h>

// ZMTP 3 (https://rfc.zeromq.org/spec/23/), as libzmq reads it:
//
// - A greeting of 64 bytes: a signature that begins with 0xFF and whose tenth byte is odd, then the version.
// - Frames: a byte of flags, a size of one byte or of eight, and a body.
// - The first frame is the handshake's, whatever its flags are. Its body is the command's name and then properties. A
//   length of one byte comes before each name, and one of four bytes before each value.

enum { GREETING, FLAGS, SIZE, BODY, COMMAND, SKIPPED, NAME_LENGTH, NAME, VALUE_LENGTH };
enum { HAS_MORE = 1, IS_LARGE = 2 };
enum { GREETING_SIZE = 64, SIGNATURE_END = 9, VERSION = 10 };

static const char identity[] = "identity";
enum { IDENTITY_LENGTH = sizeof identity - 1 };

static bool is_other_zmtp(uint32_t position, uint8_t byte) {
    return (position == 0 && byte != 0xFF) || (position == SIGNATURE_END && (byte & 1) == 0)
        || (position == VERSION && byte < 3);
}

static void skip(scenebus_walk *walk, uint32_t count) {
    walk->field = count;
    walk->place = count > 0 ? SKIPPED : NAME_LENGTH;
}

static void read_value_length(scenebus_walk *walk) {
    walk->field = 4;
    walk->length = 0;
    walk->place = VALUE_LENGTH;
}

/// Walks over a byte of the handshake's body.
static scenebus_wrong walk_over_handshake(scenebus_walk *walk, uint8_t byte) {
    switch (walk->place) {
    case COMMAND:
        skip(walk, byte);
        break;
    case SKIPPED:
        skip(walk, walk->field - 1);
        break;
    case NAME_LENGTH:
        walk->name = byte;
        walk->field = byte;
        walk->is_identity = byte == IDENTITY_LENGTH;
        walk->place = NAME;
        if (byte == 0) read_value_length(walk);
        break;
    case NAME:
        if (walk->is_identity) walk->is_identity = tolower(byte) == identity[walk->name - walk->field];
        if (--walk->field == 0) read_value_length(walk);
        break;
    default:
        walk->length = walk->length << 8 | byte;
        if (--walk->field > 0) break;
        if (walk->is_identity && walk->length > 0) return SCENEBUS_SETS_ROUTING_ID;
        skip(walk, walk->length);
    }
    if (--walk->frame == 0) {
        walk->is_ready = true;
        walk->place = FLAGS;
    }
    return SCENEBUS_NOTHING_WRONG;
}

static scenebus_wrong walk_over_byte(scenebus_walk *walk, uint8_t byte) {
    switch (walk->place) {
    case GREETING:
        if (is_other_zmtp(walk->field, byte)) return SCENEBUS_OTHER_ZMTP;
        if (++walk->field == GREETING_SIZE) walk->place = FLAGS;
        return SCENEBUS_NOTHING_WRONG;
    case FLAGS:
        if (byte & HAS_MORE) return SCENEBUS_SEVERAL_PARTS;
        walk->frame = 0;
        walk->field = byte & IS_LARGE ? 8 : 1;
        walk->place = SIZE;
        return SCENEBUS_NOTHING_WRONG;
    case SIZE:
        walk->frame = walk->frame << 8 | byte;
        if (--walk->field == 0) walk->place = walk->frame == 0 ? FLAGS : walk->is_ready ? BODY : COMMAND;
        return SCENEBUS_NOTHING_WRONG;
    default:
        return walk_over_handshake(walk, byte);
    }
}

scenebus_wrong scenebus_walk_over(scenebus_walk *walk, const uint8_t *bytes, size_t count) {
    const uint8_t *end = bytes + count;
    while (bytes < end) {
        if (walk->place != BODY) {
            scenebus_wrong wrong = walk_over_byte(walk, *bytes++);
            if (wrong != SCENEBUS_NOTHING_WRONG) return wrong;
            continue;
        }
        uint64_t arrived = (uint64_t)(end - bytes);
        uint64_t step = walk->frame < arrived ? walk->frame : arrived;
        bytes += step;
        walk->frame -= step;
        if (walk->frame == 0) walk->place = FLAGS;
    }
    return SCENEBUS_NOTHING_WRONG;
}
