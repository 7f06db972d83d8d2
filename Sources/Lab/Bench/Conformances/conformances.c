#include "BenchConformances.h"

#include <stddef.h>

// The runtime keeps the answers, and its debugging interface says where, for tools such as swift-inspect. The layout is
// that of include/swift/RemoteInspection/RuntimeInternals.h and, for a description, include/swift/ABI/Metadata.h.

/// The description of a protocol, or of a generic type.
struct description {
    uint32_t flags;
    int32_t parent;
    /// The distance of the name from this field.
    int32_t name;
};

/// The bit of an answer's type that is set if it points to the description of a generic type.
enum { GENERIC = 2 };

struct answer {
    uintptr_t type;
    const struct description *protocol;
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

static const char *name(const struct description *description) {
    return (const char *)&description->name + description->name;
}

uint32_t scenebus_bench_conformances(void) { return __atomic_load_n(&cache()->count, __ATOMIC_ACQUIRE); }

const void *scenebus_bench_conformance_type(uint32_t index) {
    uintptr_t type = answer(index)->type;
    return type & GENERIC ? NULL : (const void *)type;
}

const char *scenebus_bench_conformance_generic_type(uint32_t index) {
    uintptr_t type = answer(index)->type;
    return type & GENERIC ? name((const struct description *)(type - GENERIC)) : NULL;
}

const char *scenebus_bench_conformance_protocol(uint32_t index) { return name(answer(index)->protocol); }
