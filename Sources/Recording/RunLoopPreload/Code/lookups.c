// Functions that a program looks up by name. The program gets the interposed functions, as if it had been linked with
// them.
#include "preload.h"
#include "session.h"
#include "settings.h"
#include "static_runtime.h"
#include "symbols.h"

RLP_EARLY static int may_be_ours(const char *name) {
  return strncmp(name, "CF", 2) == 0 || strncmp(name, "dispatch_", 9) == 0
         || strcmp(name, "_dispatch_main_queue_callback_4CF") == 0 || strcmp(name, "_CFRunLoopFinished") == 0;
}

// Returns this library's own function with this name; NULL = none.
static void *own(const char *name) {
  static void *library;
  void *handle = __atomic_load_n(&library, __ATOMIC_RELAXED);
  Dl_info info, found_in;
  if (handle == NULL) {
    if (dladdr((void *)&own, &info) == 0 || (handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) == NULL)
      return NULL;
    __atomic_store_n(&library, handle, __ATOMIC_RELAXED);
  }
  void *found = rlp_real_lookup()(handle, name);
  return found != NULL && dladdr((void *)&own, &info) != 0 && dladdr(found, &found_in) != 0
                 && info.dli_fbase == found_in.dli_fbase
             ? found
             : NULL;
}

// Returns the function to give instead of one that was found: ours, or the found one if this library does not
// interpose it.
static void *stand_in(const char *name, void *found) {
  int kept_errno = errno;
  void *slot = NULL, *ours = found == NULL ? NULL : own(name);
  if (ours != NULL && rlp_real(name, &slot) != found) ours = NULL;
  // Our own lookups may have set an error. After a successful lookup, there must be none.
  if (found != NULL) dlerror();
  errno = kept_errno;
  return ours != NULL ? ours : found;
}

// Returns what Swift's static runtime gets instead of a function that Linux does not have; NULL = nothing.
static void *for_static_runtime(const char *name) {
  return rlp_records_queues() && strcmp(name, "dispatch_async_swift_job") == 0 ? rlp_job_queuing_function() : NULL;
}

// The real function finds its caller by the return address, which matters for RTLD_DEFAULT and RTLD_NEXT. So it is
// not called but jumped to. RTLD_DEFAULT finds our functions anyway, and RTLD_NEXT is meant to skip those before the
// caller.
RLP_EARLY RLP_EXPORT void *dlsym(void *handle, const char *name) {
  rlp_lookup real = rlp_real_lookup();
  if (real == NULL) return NULL;
  void *queues_jobs = rlp_recording_state == RLP_UNWANTED ? NULL : for_static_runtime(name);
  if (queues_jobs != NULL) return queues_jobs;
  if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || rlp_recording_state == RLP_UNWANTED
      || !may_be_ours(name))
    __attribute__((musttail)) return real(handle, name);
  return stand_in(name, real(handle, name));
}
