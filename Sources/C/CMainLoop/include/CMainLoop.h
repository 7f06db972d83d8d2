#ifndef SCENEBUS_CMAINLOOP_H
#define SCENEBUS_CMAINLOOP_H

#include <stdbool.h>

/// Gets a job of the Swift runtime.
typedef void (*scenebus_job_taker)(void *job);

/// From now on jobs for no executor in particular, made on this thread while it takes jobs, go to `taker` instead of to the
/// default executor.
void scenebus_take_jobs_with(scenebus_job_taker taker);

/// Whether this thread takes such jobs.
void scenebus_set_taking_jobs(bool takes);

#endif
