#ifndef SCENEBUS_BENCH_ALLOCATIONS_H
#define SCENEBUS_BENCH_ALLOCATIONS_H

/// The number of calls of malloc in this process.
unsigned long scenebus_bench_allocations(void);

#endif
