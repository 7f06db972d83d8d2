#include "CConcurrency.h"

// The functions with which the Swift runtime binds task-local values (include/swift/Runtime/Concurrency.h). They have
// Swift's calling convention, which cannot be declared in Swift.
#define SWIFT_CC __attribute__((swiftcall))
extern SWIFT_CC void swift_task_localValuePush(const void *key, void *value, const void *type);
extern SWIFT_CC void swift_task_localValuePop(void);

void scenebus_bind_task_local(const void *key, void *value, const void *type) {
    swift_task_localValuePush(key, value, type);
}

void scenebus_unbind_task_local(void) { swift_task_localValuePop(); }
