#ifndef SCENEBUS_CZEROMQ_SHIM_H
#define SCENEBUS_CZEROMQ_SHIM_H

// The first two are used by the poll loop and are missing from Swift's Glibc module.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <zmq.h>

#endif
