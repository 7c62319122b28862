// CFSocket: the callout of its source is CoreFoundation's own, which calls the socket's callout.
#ifndef RLP_SOCKETS_H
#define RLP_SOCKETS_H

#include "preload.h"

// Returns the callout of the socket whose source is being made on this thread with this context; 0 = none, or not
// known.
uintptr_t rlp_socket_callout(const void *info);

#endif
