// Which code a callout is, and where its object was made.
#ifndef RLP_CODE_H
#define RLP_CODE_H

#include "preload.h"

// The name of a callout with a context, as a string id. A Swift closure stands behind one or two thunks that all
// closures share: their chain is recorded, and whoever reads the log takes the first that is none.
uint32_t rlp_callout_name(uintptr_t callout, const void *info);
uint32_t rlp_block_name(const void *block);

// The site of the caller of an interposed function, as a string id. `frame` is that function's frame.
uint32_t rlp_site(void *const *frame, uintptr_t return_address);
#define RLP_SITE() rlp_site(__builtin_frame_address(0), (uintptr_t)__builtin_return_address(0))

#endif
