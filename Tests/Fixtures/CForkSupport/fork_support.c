#include "fork_support.h"

#include <sys/wait.h>
#include <unistd.h>

#include "rltrace_emit.h"

int rlt_emit_in_forked_child(uint8_t kind, uint32_t object) {
  pid_t child = fork();
  if (child == 0) {
    rlt_emit(kind, object);
    _exit(0);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}
