#ifndef SCENEBUS_FUZZ_MEMORY_H
#define SCENEBUS_FUZZ_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's entry point (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library).
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*testOneInput)(const uint8_t *data, size_t size));

/// Starts a measurement of this process's memory.
void scenebus_fuzz_memory_begin(void);

/// The peak of the bytes in use since the start of the measurement, minus the bytes in use at the start. 0 where the
/// address sanitizer replaces the allocator.
long scenebus_fuzz_memory_peak(void);

#endif
