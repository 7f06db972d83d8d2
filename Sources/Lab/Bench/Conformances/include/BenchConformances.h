#ifndef SCENEBUS_BENCH_CONFORMANCES_H
#define SCENEBUS_BENCH_CONFORMANCES_H

#include <stdint.h>

/// The number of questions, whether a type conforms to a protocol, that the Swift runtime has answered in this process by
/// a search of all conformances. One search may have answered several: for a class also the one about its superclass,
/// for a type made from a generic one also the one about all such types.
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
