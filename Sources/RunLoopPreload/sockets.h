// CFSocket: its source's callout is CoreFoundation's own, and calls the socket's.
#ifndef RLP_SOCKETS_H
#define RLP_SOCKETS_H

#include "preload.h"

// The callout of the socket whose source is being made on this thread with this context; 0 = none, or not to be known.
uintptr_t rlp_socket_callout(const void *info);

#endif
