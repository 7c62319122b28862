// Strings, modes and images of the recording, each written to the spool's log once.
#ifndef RLP_NAMES_H
#define RLP_NAMES_H

#include "preload.h"

#define RLP_NAMES_BYTES ((uint64_t)1 << 26)

// Forgets the ids of an earlier recording; modes keep theirs.
void rlp_names_begin(rlt_spool *spool);

uint32_t rlp_string(const char *text);
// A string id for code addresses: RLT_NAME_CODE or RLT_NAME_SITE.
uint32_t rlp_addresses(uint16_t type, const uintptr_t *addresses, size_t count);
// The id of a mode; `mode` is a CFString.
uint8_t rlp_mode(void *mode);
void rlp_info(const char *key, const char *value);

#endif
