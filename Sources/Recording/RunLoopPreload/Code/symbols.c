#include "symbols.h"

// The symbol versions of dlsym in glibc. dlsym itself moved into libc.
static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};

static rlp_lookup real_lookup;

RLP_EARLY rlp_lookup rlp_real_lookup(void) {
  rlp_lookup found = __atomic_load_n(&real_lookup, __ATOMIC_RELAXED);
  for (size_t i = 0; found == NULL && i < sizeof versions / sizeof *versions; i++)
    if ((found = (rlp_lookup)dlvsym(RTLD_NEXT, "dlsym", versions[i])) == NULL) dlerror();
  __atomic_store_n(&real_lookup, found, __ATOMIC_RELAXED);
  return found;
}

// Searches libraries that a program may have opened with RTLD_LOCAL, where RTLD_NEXT does not look.
static void *find_in_loaded(const char *name) {
  static const char *const libraries[] = {
      "libFoundation.so", "libdispatch.so", "libBlocksRuntime.so", "libswift_Concurrency.so"};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) continue;
    void *found = rlp_real_lookup()(library, name);
    dlclose(library);  // stays loaded: the program holds it
    if (found != NULL) return found;
  }
  return NULL;
}

void *rlp_real_of_system(const char *name, void **slot) {
  rlp_lookup lookup = rlp_real_lookup();
  void *found = lookup == NULL ? NULL : lookup(RTLD_NEXT, name);
  __atomic_store_n(slot, found, __ATOMIC_RELAXED);
  return found;
}

void *rlp_real(const char *name, void **slot) {
  // A lookup takes the loader's lock, which another thread may hold for a long time, so it is done once.
  void *found = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (found != NULL) return found;
  found = rlp_real_of_system(name, slot);
  if (found != NULL || rlp_real_lookup() == NULL) return found;
  found = find_in_loaded(name);
  __atomic_store_n(slot, found, __ATOMIC_RELAXED);
  return found;
}
