// Symbols of the program itself, for a program that is linked with Dispatch statically. They are found in its symbol
// table, unless it was stripped.
#ifndef RLP_PROGRAM_SYMBOLS_H
#define RLP_PROGRAM_SYMBOLS_H

#include "symbols.h"

// Returns the address of one of the symbols that this library uses; NULL = the program has none of that name.
void *rlp_symbol_of_program(const char *name);

// The program's own `name`, also if it is linked statically.
#define RLP_STATIC_OR_REAL(type, name) \
  ({ \
    void *of_library_ = RLP_REAL(void *, name); \
    (type)(of_library_ != NULL ? of_library_ : rlp_symbol_of_program(#name)); \
  })

#endif
