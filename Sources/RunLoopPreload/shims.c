// The recorder's C code, compiled into this library. A program that embeds the recorder has a separate copy of it.
#include "symbols.h"

#include "../CRLTraceShims/emit.c"
#include "../CRLTraceShims/ids.c"
#include "../CRLTraceShims/rest.c"
#include "../CRLTraceShims/spool.c"
#include "../CRLTraceShims/spool_ending.c"
#include "../CRLTraceShims/spool_guard.c"
#include "../CRLTraceShims/spool_rings.c"
#include "../CRLTraceShims/spool_space.c"
#include "../CRLTraceShims/thread.c"
#include "../CRLTraceShims/topology.c"

#include "../CRLTraceStacks/frame_tables.c"
#include "../CRLTraceStacks/images.c"
#include "../CRLTraceStacks/sample.c"
#include "../CRLTraceStacks/sentinel.c"
#include "../CRLTraceStacks/thread_evidence.c"
#include "../CRLTraceStacks/unwind.c"

// Calls go to the library whose functions this one interposes.
#define RLT_CF(name) RLP_REAL(__typeof__(&name), name)
#include "../CRLTraceLoops/observe.c"
#include "../CRLTraceLoops/timers.c"
