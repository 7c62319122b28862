// The recorder's C, compiled into this library: a shared copy would be two when the program embeds it, too.
#include "symbols.h"

#include "../CRLTraceShims/emit.c"
#include "../CRLTraceShims/ids.c"
#include "../CRLTraceShims/spool.c"
#include "../CRLTraceShims/thread.c"

// What is called here is in the library whose functions this one stands in front of.
#define RLT_CF(name) RLP_REAL(__typeof__(&name), name)
#include "../CRLTraceLoops/observe.c"
#include "../CRLTraceLoops/timers.c"
