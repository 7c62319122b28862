/* The single tracepoint of the LTTng-UST comparison, with the fields of a row. LTTng adds the time itself.
 * LTTng reads this header several times, hence the unusual guard. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER runloop

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng-provider.h"

#if !defined(LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(
    runloop, event,
    LTTNG_UST_TP_ARGS(uint8_t, kind, uint8_t, mode, uint32_t, object),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint8_t, kind, kind)
        lttng_ust_field_integer(uint8_t, mode, mode)
        lttng_ust_field_integer(uint32_t, object, object)))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
