#ifndef SCENEBUS_BENCH_CONFORMANCES_H
#define SCENEBUS_BENCH_CONFORMANCES_H

#include <stdint.h>

// These functions read a table of the Swift runtime without its lock. Call them only while no other thread runs Swift code.

/// The number of questions, whether a type conforms to a protocol, that the Swift runtime has answered in this process. For
/// each it has searched all conformances, or one such search has answered several: for a class also the question about its
/// superclass, for a type made from a generic one also the question about all such types.
uint32_t scenebus_bench_conformances(void);

/// The metadata of the type of a question; `NULL` if it is about all types made from a generic one.
/// - Parameter index: the number of the question, less than `scenebus_bench_conformances()`.
const void *scenebus_bench_conformance_type(uint32_t index);

/// The name of the generic type of a question; `NULL` if it is about one type.
/// - Parameter index: the number of the question, less than `scenebus_bench_conformances()`.
const char *scenebus_bench_conformance_generic_type(uint32_t index);

/// The name of the protocol of a question.
/// - Parameter index: the number of the question, less than `scenebus_bench_conformances()`.
const char *scenebus_bench_conformance_protocol(uint32_t index);

#endif
