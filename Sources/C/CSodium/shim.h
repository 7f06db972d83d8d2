#ifndef SCENEBUS_CSODIUM_SHIM_H
#define SCENEBUS_CSODIUM_SHIM_H

#include <sodium.h>

#endif
