#ifndef SCENEBUS_CCONNECTIONS_H
#define SCENEBUS_CCONNECTIONS_H

/// How many connections this process has closed at once because it had no descriptor for them.
unsigned long scenebus_surplus_connections(void);

#endif
