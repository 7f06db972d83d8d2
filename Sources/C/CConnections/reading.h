#ifndef SCENEBUS_READING_H
#define SCENEBUS_READING_H

#include <stdbool.h>

#include "CZMTPWalk.h"

/// Tells what is wrong with what this thread has received last.
/// - Returns: whether it came over a watched connection, which libzmq must close. The descriptor may be that of another socket
///   of this process by now.
bool scenebus_break_reading(scenebus_wrong wrong);

#endif
