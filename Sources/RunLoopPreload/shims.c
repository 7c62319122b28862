// The recorder's C, compiled into this library: a shared copy would be two when the program embeds it, too.
#include "symbols.h"

#include "../CRLTraceShims/emit.c"
#include "../CRLTraceShims/ids.c"
#include "../CRLTraceShims/spool.c"
#include "../CRLTraceShims/spool_ending.c"
#include "../CRLTraceShims/spool_guard.c"
#include "../CRLTraceShims/spool_rings.c"
#include "../CRLTraceShims/thread.c"
#include "../CRLTraceShims/topology.c"

#include "../CRLTraceStacks/frame_tables.c"
#include "../CRLTraceStacks/images.c"
#include "../CRLTraceStacks/sample.c"
#include "../CRLTraceStacks/sentinel.c"
#include "../CRLTraceStacks/thread_evidence.c"
#include "../CRLTraceStacks/unwind.c"

// What is called here is in the library whose functions this one stands in front of.
#define RLT_CF(name) RLP_REAL(__typeof__(&name), name)
#include "../CRLTraceLoops/observe.c"
#include "../CRLTraceLoops/timers.c"
