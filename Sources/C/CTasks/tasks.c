#include "CTasks.h"

// The functions of the Swift runtime (include/swift/Runtime/Concurrency.h). They have Swift's calling convention, which
// cannot be declared in Swift.
#define SWIFT_CC __attribute__((swiftcall))
#define SWIFT_CONTEXT __attribute__((swift_context))
typedef SWIFT_CC void (*closure)(SWIFT_CONTEXT void *context);
extern SWIFT_CC void swift_task_localValuePush(const void *key, void *value, const void *type);
extern SWIFT_CC void swift_task_localValuePop(void);
extern SWIFT_CC const void *swift_task_localValueGet(const void *key);
// This one has C's (include/swift/Runtime/HeapObject.h).
extern size_t swift_retainCount(void *object);
extern SWIFT_CC bool swift_task_isCurrentExecutor(scenebus_executor executor);
extern SWIFT_CC void *swift_task_getCurrent(void);
extern SWIFT_CC bool swift_task_isCancelled(void *task);
extern SWIFT_CC void *swift_task_addCancellationHandler(closure handler, void *context);
extern SWIFT_CC void swift_task_removeCancellationHandler(void *record);

void scenebus_bind_task_local(const void *key, void *value, const void *type) {
    swift_task_localValuePush(key, value, type);
}

const void *scenebus_task_local(const void *key) { return swift_task_localValueGet(key); }

void scenebus_unbind_task_local(void) { swift_task_localValuePop(); }

size_t scenebus_retain_count(void *object) { return swift_retainCount(object); }

bool scenebus_is_current_executor(scenebus_executor executor) { return swift_task_isCurrentExecutor(executor); }

bool scenebus_is_cancelled(void) {
    void *task = swift_task_getCurrent();
    return task && swift_task_isCancelled(task);
}

static scenebus_cancellation_handler handler;

static SWIFT_CC void call_handler(SWIFT_CONTEXT void *context) { handler(context); }

void scenebus_set_cancellation_handler(scenebus_cancellation_handler new_handler) { handler = new_handler; }

void *scenebus_add_cancellation_context(void *context) {
    return swift_task_addCancellationHandler(call_handler, context);
}

void scenebus_remove_cancellation_context(void *record) { swift_task_removeCancellationHandler(record); }
