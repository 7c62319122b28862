// kill-at-call N COMMAND…: runs COMMAND and kills it with SIGKILL before its Nth system call, in any thread, that
// changes a file. Prints the name of that call to standard error, and waits for the processes that COMMAND started,
// which continue.
//
// Exit status: the command's own if it makes fewer such calls, 137 if it was killed, 126 if it cannot be started.
#ifdef __linux__
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Declared here: <sys/ptrace.h> and <linux/ptrace.h> define the same names.
long ptrace(int request, ...);

static const char *file_change(const struct ptrace_syscall_info *call) {
  switch (call->entry.nr) {
    case SYS_openat: return (call->entry.args[2] & (O_CREAT | O_TRUNC)) != 0 ? "openat" : NULL;
    case SYS_write: return "write";
    case SYS_writev: return "writev";
    case SYS_pwrite64: return "pwrite64";
    case SYS_ftruncate: return "ftruncate";
    case SYS_fallocate: return "fallocate";
    case SYS_fsync: return "fsync";
    case SYS_fdatasync: return "fdatasync";
    case SYS_flock: return "flock";
    case SYS_linkat: return "linkat";
    case SYS_unlinkat: return "unlinkat";
    case SYS_renameat2: return "renameat2";
    case SYS_fchmod: return "fchmod";
#ifdef SYS_rename  // not on newer architectures
    case SYS_open: return (call->entry.args[1] & (O_CREAT | O_TRUNC)) != 0 ? "open" : NULL;
    case SYS_link: return "link";
    case SYS_unlink: return "unlink";
    case SYS_rename: return "rename";
#endif
#ifdef SYS_renameat
    case SYS_renameat: return "renameat";
#endif
    default: return NULL;
  }
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  long left = atol(arguments[1]);
  // Orphaned processes of the killed command become children of this process, so that it can wait for them.
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  pid_t command = fork();
  if (command == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    execvp(arguments[2], arguments + 2);
    _exit(126);
  }
  int status, result = 126;
  if (waitpid(command, &status, 0) != command || !WIFSTOPPED(status)) return result;
  ptrace(PTRACE_SETOPTIONS, command, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE));
  ptrace(PTRACE_SYSCALL, command, NULL, NULL);
  for (;;) {
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == ECHILD) return result;
    if (thread < 0) continue;
    if (!WIFSTOPPED(status)) {
      if (thread == command) result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    long delivered = WSTOPSIG(status);
    struct ptrace_syscall_info call;
    if (delivered == (SIGTRAP | 0x80)) {
      delivered = 0;
      if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof call, &call) > 0 && call.op == PTRACE_SYSCALL_INFO_ENTRY) {
        const char *name = file_change(&call);
        if (name != NULL && --left == 0) {
          kill(command, SIGKILL);
          fprintf(stderr, "killed before %s\n", name);
          continue;
        }
      }
    } else if (delivered == SIGTRAP || delivered == SIGSTOP) {
      delivered = 0;  // a new thread, or the execution of the command
    }
    ptrace(PTRACE_SYSCALL, thread, NULL, (void *)delivered);
  }
}
#else
int main(void) { return 126; }
#endif
