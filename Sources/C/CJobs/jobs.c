#include "CJobs.h"

#include <stdatomic.h>
#include <stddef.h>

// The Swift runtime's hook for replacing its executors (include/swift/Runtime/Concurrency.h). The runtime calls it for
// every job that goes to the default executor at once, not after a delay. It has Swift's calling convention, which cannot
// be declared in Swift.
#define SWIFT_CC __attribute__((swiftcall))
typedef SWIFT_CC void (*enqueue_job)(void *job);
typedef SWIFT_CC void (*enqueue_hook)(void *job, enqueue_job original);
// Weak, so that a build for a later compiler, which does not use it, still links when the runtime has it no longer.
extern enqueue_hook swift_task_enqueueGlobal_hook __attribute__((weak));

/// The hook that was installed before, by another library. It is atomic because other threads may enqueue jobs while this
/// module's hook is being installed.
static _Atomic(enqueue_hook) earlier_hook;
static scenebus_job_taker taker;
static _Thread_local bool takes_jobs;

static SWIFT_CC void enqueue(void *job, enqueue_job original) {
    if (takes_jobs) {
        taker(job);
    } else {
        enqueue_hook earlier = atomic_load_explicit(&earlier_hook, memory_order_acquire);
        if (earlier) earlier(job, original);
        else original(job);
    }
}

bool scenebus_install_job_hook(void) {
    if (!&swift_task_enqueueGlobal_hook) return false;
    atomic_store_explicit(&earlier_hook, swift_task_enqueueGlobal_hook, memory_order_release);
    // A thread that calls the new hook must see the earlier one.
    __atomic_store_n(&swift_task_enqueueGlobal_hook, enqueue, __ATOMIC_RELEASE);
    return true;
}

void scenebus_take_jobs_with(scenebus_job_taker new_taker) { taker = new_taker; }

void scenebus_set_taking_jobs(bool takes) { takes_jobs = takes; }
