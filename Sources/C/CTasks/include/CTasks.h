#ifndef SCENEBUS_CTASKS_H
#define SCENEBUS_CTASKS_H

#include <stdbool.h>
#include <stddef.h>

// What `TaskLocal.withValue` and `withTaskCancellationHandler` do, without the two asynchronous functions through which
// each of them calls its operation: these cost a request as much as its encoding.
//
// The Swift runtime keeps what these functions add on the stack of the current task. The asynchronous function that
// adds something must therefore remove it, in the opposite order. In between it may call other asynchronous functions, but
// must itself allocate nothing there that it has not freed, such as a variable of a generic type. The runtime ends the
// process at the first violation.

/// Binds a value of a task-local variable in the current task.
///
/// @param key The `TaskLocal` object.
/// @param value The value, which is moved out of the memory that this points to.
/// @param type The metadata of the value's type.
void scenebus_bind_task_local(const void *key, void *value, const void *type);

/// Returns where the current task keeps its value of a task-local variable, or null if it has none. The value must be
/// copied at once.
const void *scenebus_task_local(const void *key);

/// Ends the last binding in the current task.
void scenebus_unbind_task_local(void);

/// Returns how many strong references to an object there are.
size_t scenebus_retain_count(void *object);

/// An `UnownedSerialExecutor`.
typedef struct {
    void *identity;
    size_t implementation;
} scenebus_executor;

/// Returns whether the current task or thread runs on an executor. If not, the runtime may also end the process.
bool scenebus_is_current_executor(scenebus_executor executor);

/// Returns whether the current task is cancelled.
bool scenebus_is_cancelled(void);

/// A function that is called on any thread when a task is cancelled.
typedef void (*scenebus_cancellation_handler)(void *context);

/// Sets the function for the contexts of this process. It is set once.
void scenebus_set_cancellation_handler(scenebus_cancellation_handler handler);

/// Calls the handler with `context` when the current task is cancelled, or at once if it is cancelled already.
///
/// @return What to pass to `scenebus_remove_cancellation_context`.
void *scenebus_add_cancellation_context(void *context);

/// Removes a context. The handler does not run with it when this function has returned.
void scenebus_remove_cancellation_context(void *record);

#endif
