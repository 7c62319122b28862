// The recorder's C code, compiled into this library. A program that embeds the recorder has a separate copy of it.
#include "symbols.h"

#include "../../Trace/CRLTraceShims/emit.c"
#include "../../Trace/CRLTraceShims/ids.c"
#include "../../Trace/CRLTraceShims/platform_linux.c"
#include "../../Trace/CRLTraceShims/rest.c"
#include "../../Trace/CRLTraceShims/spool.c"
#include "../../Trace/CRLTraceShims/spool_ending.c"
#include "../../Trace/CRLTraceShims/spool_guard.c"
#include "../../Trace/CRLTraceShims/spool_make.c"
#include "../../Trace/CRLTraceShims/spool_rings.c"
#include "../../Trace/CRLTraceShims/spool_space.c"
#include "../../Trace/CRLTraceShims/topology.c"

#include "../CRLTraceStacks/accounts.c"
#include "../CRLTraceStacks/frame_sources.c"
#include "../CRLTraceStacks/frame_tables.c"
#include "../CRLTraceStacks/sample.c"
#include "../CRLTraceStacks/sentinel.c"
#include "../CRLTraceStacks/stack_images.c"
#include "../CRLTraceStacks/thread_evidence.c"
#include "../CRLTraceStacks/unwind.c"

// Calls go to the library whose functions this one interposes.
#define RLT_CF(name) RLP_REAL(__typeof__(&name), name)
#include "../CRLTraceLoops/observe.c"
#include "../CRLTraceLoops/timers.c"
