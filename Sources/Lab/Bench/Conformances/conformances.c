#include "BenchConformances.h"

#include <stddef.h>

// The runtime keeps the answers, and its debugging interface says where, for tools such as swift-inspect. The layout is
// that of include/swift/RemoteInspection/RuntimeInternals.h; of an answer, with its tags, also that of
// `ConformanceCacheEntry` in stdlib/public/runtime/ProtocolConformance.cpp; of the first word of all answers, that of
// include/swift/Runtime/Concurrent.h; and of a description, that of include/swift/ABI/Metadata.h.

/// The description of a protocol, or of a generic type.
struct description {
    uint32_t flags;
    int32_t parent;
    /// The distance of the name from this field.
    int32_t name;
};

enum { TAG = 2 };

struct answer {
    /// The metadata of a type; with the tag, the description of a generic type.
    uintptr_t type;
    /// The description of a protocol; with the tag, a record that begins with it, because the conformance is isolated to a
    /// global actor.
    uintptr_t protocol;
    const void *conformance;
};

struct answers {
    uint64_t capacity;
    struct answer all[];
};

struct cache {
    uint32_t readers;
    uint32_t count;
    const struct answers *answers;
};

extern const struct cache *const _swift_debug_protocolConformanceStatePointer;

static const struct cache *cache(void) { return _swift_debug_protocolConformanceStatePointer; }

static const struct answer *answer(uint32_t index) {
    return &__atomic_load_n(&cache()->answers, __ATOMIC_ACQUIRE)->all[index];
}

static const char *name(uintptr_t address) {
    const struct description *description = (const struct description *)address;
    return (const char *)&description->name + description->name;
}

uint32_t scenebus_bench_conformances(void) { return __atomic_load_n(&cache()->count, __ATOMIC_ACQUIRE); }

const void *scenebus_bench_conformance_type(uint32_t index) {
    uintptr_t type = answer(index)->type;
    return type & TAG ? NULL : (const void *)type;
}

const char *scenebus_bench_conformance_generic_type(uint32_t index) {
    uintptr_t type = answer(index)->type;
    return type & TAG ? name(type - TAG) : NULL;
}

const char *scenebus_bench_conformance_protocol(uint32_t index) {
    uintptr_t protocol = answer(index)->protocol;
    return name(protocol & TAG ? *(const uintptr_t *)(protocol - TAG) : protocol);
}
