#ifndef SCENEBUS_CJOBS_H
#define SCENEBUS_CJOBS_H

#include <stdbool.h>

/// A function that receives a job of the Swift runtime.
typedef void (*scenebus_job_taker)(void *job);

/// Makes the runtime ask this module first where a job for the default executor goes. Call it once. A job still goes to
/// the default executor unless its thread takes jobs.
/// Returns whether the runtime has such a hook.
bool scenebus_install_job_hook(void);

/// Sets the function that receives the jobs of threads that take jobs. Call it before `scenebus_set_taking_jobs`.
void scenebus_take_jobs_with(scenebus_job_taker taker);

/// Sets whether jobs that this thread enqueues for the default executor go to the taker.
void scenebus_set_taking_jobs(bool takes);

#endif
