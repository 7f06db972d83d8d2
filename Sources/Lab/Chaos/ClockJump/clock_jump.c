#define _GNU_SOURCE
#include "clock_jump.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int (*clock_function)(clockid_t, struct timespec *);

static _Atomic(int64_t) none;
static _Atomic(int64_t) *_Atomic offset = &none;
static _Atomic(clock_function) next_clock;

int clock_jump_follow(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED) return -1;
    atomic_store(&offset, (_Atomic(int64_t) *)page);
    return 0;
}

// These functions replace those of the C library in this process, also for the calls of its libraries.

int clock_gettime(clockid_t clock, struct timespec *now) {
    clock_function next = atomic_load_explicit(&next_clock, memory_order_relaxed);
    if (!next) {
        next = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
        if (!next) return (int)syscall(SYS_clock_gettime, clock, now);
        atomic_store_explicit(&next_clock, next, memory_order_relaxed);
    }
    int result = next(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        now->tv_sec += atomic_load_explicit(atomic_load(&offset), memory_order_relaxed);
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec time;
    if (clock_gettime(CLOCK_REALTIME, &time) != 0) return -1;
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
