#include "BenchAllocations.h"

#include <stdatomic.h>
#include <stddef.h>

// glibc's allocator under its internal name. Defining malloc in the executable replaces it for the whole process,
// including the Swift runtime.
extern void *__libc_malloc(size_t size);

static atomic_ulong calls;

void *malloc(size_t size) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return __libc_malloc(size);
}

unsigned long scenebus_bench_allocations(void) { return atomic_load(&calls); }
