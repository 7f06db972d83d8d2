#ifndef SCENEBUS_CCONNECTIONS_H
#define SCENEBUS_CCONNECTIONS_H

/// The number of connections that this process has accepted and closed at once because no descriptor was left for them.
unsigned long scenebus_surplus_connections(void);

#endif
