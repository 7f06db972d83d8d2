#ifndef SCENEBUS_READING_H
#define SCENEBUS_READING_H

#include <stdbool.h>

#include "CZMTPWalk.h"

/// Whether what this thread has received last came over a watched connection.
bool scenebus_is_reading(void);

/// Tells what is wrong with what this thread has received last. libzmq closes its connection.
void scenebus_break_reading(scenebus_wrong wrong);

#endif
