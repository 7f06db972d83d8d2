#include "CMainLoop.h"

#include <stddef.h>

// The Swift runtime's hook for replacing its executors (include/swift/Runtime/Concurrency.h). The runtime calls it for
// every job that goes to the default executor. It has Swift's calling convention, which cannot be declared in Swift.
#define SWIFT_CC __attribute__((swiftcall))
typedef SWIFT_CC void (*enqueue_job)(void *job);
typedef SWIFT_CC void (*enqueue_hook)(void *job, enqueue_job original);
extern enqueue_hook swift_task_enqueueGlobal_hook;

/// The hook that was installed before, by another library.
static enqueue_hook earlier_hook;
static scenebus_job_taker taker;
static _Thread_local bool takes_jobs;
static _Thread_local bool catches_job;
static _Thread_local void *caught_job;

static SWIFT_CC void enqueue(void *job, enqueue_job original) {
    if (catches_job) {
        catches_job = false;
        caught_job = job;
    } else if (takes_jobs) {
        taker(job);
    } else if (earlier_hook) {
        earlier_hook(job, original);
    } else {
        original(job);
    }
}

void scenebus_install_job_hook(void) {
    if (swift_task_enqueueGlobal_hook == enqueue) return;
    earlier_hook = swift_task_enqueueGlobal_hook;
    swift_task_enqueueGlobal_hook = enqueue;
}

void scenebus_take_jobs_with(scenebus_job_taker new_taker) { taker = new_taker; }

void scenebus_set_taking_jobs(bool takes) { takes_jobs = takes; }

void scenebus_catch_job(void) { catches_job = true; }

void *scenebus_caught_job(void) {
    void *job = caught_job;
    catches_job = false;
    caught_job = NULL;
    return job;
}
