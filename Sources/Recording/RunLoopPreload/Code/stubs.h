// Pools of stubs: small functions that replace a program's callouts, one for each distinct callout.
//
// CoreFoundation compares callouts when it compares sources, and it returns contexts to the program. So a stub
// replaces only the callout, and equal callouts have equal stubs. A stub knows its number, and the number identifies
// the callout.
#ifndef RLP_STUBS_H
#define RLP_STUBS_H

#include "preload.h"

enum { RLP_STUBS = 512 };

typedef struct {
  void *callouts[RLP_STUBS];
} rlp_pool;

// Returns the number of a callout's stub. Returns -1, and counts the callout, if all stubs are taken.
int rlp_pool_number(rlp_pool *pool, void *callout);

static inline void *rlp_pool_callout(const rlp_pool *pool, unsigned number) {
  return __atomic_load_n(&pool->callouts[number], __ATOMIC_RELAXED);
}

// M(0000) … M(0777): 512 octal numbers. Tables of stubs are filled when a program first needs them, because the loader
// would relocate constant tables at the start of every program.
#define RLP_8(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7)
#define RLP_64(M, n) \
  RLP_8(M, n##0) RLP_8(M, n##1) RLP_8(M, n##2) RLP_8(M, n##3) RLP_8(M, n##4) RLP_8(M, n##5) RLP_8(M, n##6) \
  RLP_8(M, n##7)
#define RLP_512(M) \
  RLP_64(M, 00) RLP_64(M, 01) RLP_64(M, 02) RLP_64(M, 03) RLP_64(M, 04) RLP_64(M, 05) RLP_64(M, 06) RLP_64(M, 07)

#endif
