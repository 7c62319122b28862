// The recorder's C, compiled into this library: a shared copy would be two when the program embeds it, too.
#include "preload.h"

#include "../CRLTraceShims/emit.c"
#include "../CRLTraceShims/observe.c"
#include "../CRLTraceShims/spool.c"
#include "../CRLTraceShims/thread.c"
#include "../CRLTraceShims/timer_layout.c"
