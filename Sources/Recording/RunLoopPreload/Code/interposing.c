#include "interposing.h"

// The linker defines the ends of the table.
extern rlp_interposed __start_rlp_interposed[], __stop_rlp_interposed[];

void rlp_find_interposed(void) {
  for (rlp_interposed *at = __start_rlp_interposed; at < __stop_rlp_interposed; at++)
    rlp_real_of_system(at->name, &at->real);
}
