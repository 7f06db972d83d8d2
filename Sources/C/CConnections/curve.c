#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "reading.h"

// With CURVE, `recv` sees only what is encrypted. libzmq decrypts it on the thread that has received it, with functions of
// libsodium. These are defined in the executable and replace them. They let nothing through that libzmq must not see over a
// watched connection, as `recv` does without CURVE: a peer that sets its routing id, and a message of several parts.
// Here, a failure means to libzmq that the peer has not encrypted it with its key, and it closes the connection.

enum { ZEROS = 32, MAC = 16 };
// What comes before the metadata in the client's INITIATE (https://rfc.zeromq.org/spec/26/): its key, a nonce, and the vouch.
enum { BEFORE_METADATA = 32 + 16 + 80 };
enum { HAS_MORE = 1 };

typedef int open_box(
    unsigned char *, const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *,
    const unsigned char *);
typedef int box_message(
    unsigned char *, const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
typedef int make_key(unsigned char *, const unsigned char *, const unsigned char *);

/// libsodium's own function of a name. It is looked up once, and found in any case: libzmq is linked to it.
static void *own(const char *name, void *_Atomic *known) {
    void *function = atomic_load_explicit(known, memory_order_relaxed);
    if (function == NULL) {
        function = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(known, function, memory_order_relaxed);
    }
    return function;
}

/// Whether the metadata of a handshake sets a routing id: it has a property "Identity" that is not empty.
static bool sets_routing_id(const unsigned char *metadata, unsigned long long size) {
    static const char identity[] = "identity";
    while (size > 0) {
        unsigned long long name = metadata[0];
        if (size < 1 + name + 4) return false;
        const unsigned char *length = metadata + 1 + name;
        uint32_t value =
            (uint32_t)length[0] << 24 | (uint32_t)length[1] << 16 | (uint32_t)length[2] << 8 | (uint32_t)length[3];
        bool is_identity = name == sizeof identity - 1 && strncasecmp((const char *)metadata + 1, identity, name) == 0;
        if (is_identity && value > 0) return true;
        unsigned long long whole = 1 + name + 4 + (unsigned long long)value;
        if (size < whole) return false;
        metadata += whole;
        size -= whole;
    }
    return false;
}

int crypto_box_open(
    unsigned char *message, const unsigned char *box, unsigned long long size, const unsigned char *nonce,
    const unsigned char *public_key, const unsigned char *secret_key) {
    static void *_Atomic known;
    int result = ((open_box *)own("crypto_box_open", &known))(message, box, size, nonce, public_key, secret_key);
    unsigned long long before = ZEROS + BEFORE_METADATA;
    if (result != 0 || size <= before || !sets_routing_id(message + before, size - before)) return result;
    return scenebus_break_reading(SCENEBUS_SETS_ROUTING_ID) ? -1 : 0;
}

// libzmq calls it at the end of each handshake.
int crypto_box_beforenm(unsigned char *key, const unsigned char *public_key, const unsigned char *secret_key) {
    static void *_Atomic known;
    int result = ((make_key *)own("crypto_box_beforenm", &known))(key, public_key, secret_key);
    if (result == 0) scenebus_note_key(key);
    return result;
}

// libzmq encrypts with it what it says last in a handshake. Before that it has asked whether the peer's key is allowed.
int crypto_box_afternm(
    unsigned char *box, const unsigned char *message, unsigned long long size, const unsigned char *nonce,
    const unsigned char *key) {
    static void *_Atomic known;
    static const char ready[] = "CurveZMQREADY---";
    if (memcmp(nonce, ready, sizeof ready - 1) == 0) scenebus_end_handshake(key);
    return ((box_message *)own("crypto_box_afternm", &known))(box, message, size, nonce, key);
}

/// Checks the flags of a message, which are its first byte. What a host sends begins with another nonce, and so does what it
/// says at the end of the handshake.
static int checked(int result, unsigned char flags, const unsigned char *nonce, const unsigned char *key) {
    static const char of_client[] = "CurveZMQMESSAGEC";
    if (result != 0 || (flags & HAS_MORE) == 0 || memcmp(nonce, of_client, sizeof of_client - 1) != 0) return result;
    return scenebus_break_key(key, SCENEBUS_SEVERAL_PARTS) ? -1 : 0;
}

// libzmq uses one of these for the messages after the handshake, depending on how it was built.

int crypto_box_open_afternm(
    unsigned char *message, const unsigned char *box, unsigned long long size, const unsigned char *nonce,
    const unsigned char *key) {
    static void *_Atomic known;
    int result = ((box_message *)own("crypto_box_open_afternm", &known))(message, box, size, nonce, key);
    return size > ZEROS ? checked(result, message[ZEROS], nonce, key) : result;
}

int crypto_box_open_easy_afternm(
    unsigned char *message, const unsigned char *box, unsigned long long size, const unsigned char *nonce,
    const unsigned char *key) {
    static void *_Atomic known;
    int result = ((box_message *)own("crypto_box_open_easy_afternm", &known))(message, box, size, nonce, key);
    return size > MAC ? checked(result, message[0], nonce, key) : result;
}
