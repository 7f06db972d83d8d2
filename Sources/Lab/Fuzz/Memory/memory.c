#include "FuzzMemory.h"

#if __has_feature(address_sanitizer)

void scenebus_fuzz_memory_begin(void) {}
long scenebus_fuzz_memory_peak(void) { return 0; }

#else

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

// glibc's allocator under its internal names. Defining malloc in the executable replaces it for the whole process,
// including the Swift runtime.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *pointer);

// Not instrumented, because these functions run before the fuzzer starts.
#define PLAIN __attribute__((no_sanitize("coverage")))

static atomic_long live;
static atomic_long peak;
static long start;

PLAIN static void *added(void *pointer) {
    if (!pointer) return pointer;
    long size = (long)malloc_usable_size(pointer);
    long now = atomic_fetch_add_explicit(&live, size, memory_order_relaxed) + size;
    if (now > atomic_load_explicit(&peak, memory_order_relaxed)) atomic_store_explicit(&peak, now, memory_order_relaxed);
    return pointer;
}

PLAIN static void removed(void *pointer) {
    if (pointer) atomic_fetch_sub_explicit(&live, (long)malloc_usable_size(pointer), memory_order_relaxed);
}

PLAIN void *malloc(size_t size) { return added(__libc_malloc(size)); }

PLAIN void *calloc(size_t count, size_t size) { return added(__libc_calloc(count, size)); }

PLAIN void *realloc(void *pointer, size_t size) {
    removed(pointer);
    void *moved = __libc_realloc(pointer, size);
    // If the allocation fails, the old block is still valid.
    if (!moved && size > 0) added(pointer);
    return added(moved);
}

PLAIN void *memalign(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size)); }

PLAIN void *aligned_alloc(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size)); }

PLAIN int posix_memalign(void **pointer, size_t alignment, size_t size) {
    *pointer = added(__libc_memalign(alignment, size));
    return *pointer ? 0 : ENOMEM;
}

PLAIN void free(void *pointer) {
    removed(pointer);
    __libc_free(pointer);
}

PLAIN void scenebus_fuzz_memory_begin(void) {
    start = atomic_load_explicit(&live, memory_order_relaxed);
    atomic_store_explicit(&peak, start, memory_order_relaxed);
}

PLAIN long scenebus_fuzz_memory_peak(void) { return atomic_load_explicit(&peak, memory_order_relaxed) - start; }

#endif
