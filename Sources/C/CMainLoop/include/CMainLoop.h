#ifndef SCENEBUS_CMAINLOOP_H
#define SCENEBUS_CMAINLOOP_H

#include <stdbool.h>

/// A function that receives a job of the Swift runtime.
typedef void (*scenebus_job_taker)(void *job);

/// Installs `taker` for the process. From now on, a job for the default executor goes to `taker` instead if the thread
/// that enqueues it takes jobs: see `scenebus_set_taking_jobs`.
void scenebus_take_jobs_with(scenebus_job_taker taker);

/// Sets whether jobs that this thread enqueues for the default executor go to the taker.
void scenebus_set_taking_jobs(bool takes);

#endif
