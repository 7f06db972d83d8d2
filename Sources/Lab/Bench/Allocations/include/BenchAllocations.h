#ifndef SCENEBUS_BENCH_ALLOCATIONS_H
#define SCENEBUS_BENCH_ALLOCATIONS_H

/// How often this process has called malloc.
unsigned long scenebus_bench_allocations(void);

#endif
