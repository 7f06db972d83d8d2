#include "BenchAllocations.h"

#include <stdatomic.h>
#include <stddef.h>

// glibc's own allocator under its other name: defining malloc in the executable replaces it for everything in the process,
// the Swift runtime included.
extern void *__libc_malloc(size_t size);

static atomic_ulong calls;

void *malloc(size_t size) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return __libc_malloc(size);
}

unsigned long scenebus_bench_allocations(void) { return atomic_load(&calls); }
