// Strings, modes and images of the recording, each written to the spool's log once.
#ifndef RLP_NAMES_H
#define RLP_NAMES_H

#include "preload.h"

// Begins a recording into this spool.
void rlp_names_begin(rlt_spool *spool);

uint32_t rlp_string(const char *text);
// Returns how often this was called for a string in this recording, including this call. Objects with equal names get
// numbers.
uint32_t rlp_times_used(uint32_t string);
// Returns a string id for return addresses: RLT_NAME_SITE.
uint32_t rlp_addresses(const uintptr_t *addresses, size_t count);
// Returns a string id for RLT_NAME_CODE: two words, then addresses.
uint32_t rlp_code(const uintptr_t *words, size_t count);
// Logs RLT_NAME_RUNNER. `words`: room for the thread's id, then return addresses.
void rlp_log_runner(uint8_t mode, uint16_t flags, uintptr_t *words, size_t count);
// Returns the id of a mode; `mode` is a CFString.
uint8_t rlp_mode(void *mode);
void rlp_info(const char *key, const char *value);

#endif
