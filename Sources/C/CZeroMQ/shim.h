#ifndef SCENEBUS_CZEROMQ_SHIM_H
#define SCENEBUS_CZEROMQ_SHIM_H

// Swift's Glibc module leaves these two out; the poll loop waits with them.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <zmq.h>

#endif
