// The calls that make, use and close descriptors.
#ifndef RLP_DESCRIPTOR_CALLS_H
#define RLP_DESCRIPTOR_CALLS_H

// Looks up the program's own functions.
void rlp_find_descriptor_calls(void);

#endif
