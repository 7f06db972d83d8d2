#ifndef SCENEBUS_FUZZ_MEMORY_H
#define SCENEBUS_FUZZ_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own entry (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library).
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*testOneInput)(const uint8_t *data, size_t size));

/// Starts a measurement of this process's memory.
void scenebus_fuzz_memory_begin(void);

/// The most bytes in use at a time since the measurement began, beyond those in use then. 0 where the address sanitizer has
/// the allocator.
long scenebus_fuzz_memory_peak(void);

#endif
