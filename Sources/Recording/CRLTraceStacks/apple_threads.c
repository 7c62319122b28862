// Threads and their stacks on Apple's systems, through Mach calls. This code compiles for them but has never been run.
#if defined(__APPLE__)

#include <TargetConditionals.h>

// watchOS and tvOS do not allow a program to stop its threads.
#if !TARGET_OS_WATCH && !TARGET_OS_TV

#include <mach/mach.h>
#include <string.h>

#include "rltrace_frame_walk.h"
#include "rltrace_platform.h"
#include "rltrace_sample.h"
#include "rltrace_thread_evidence.h"
#include "rltrace_vocabulary.h"

#if defined(__arm64__)
typedef arm_thread_state64_t thread_registers;
enum { REGISTERS = ARM_THREAD_STATE64, REGISTER_WORDS = ARM_THREAD_STATE64_COUNT };
// Addresses in user space have 47 bits; the higher bits may hold a pointer's signature.
static const uint64_t address_bits = 0x00007FFFFFFFFFFF;
static uint64_t program_counter(const thread_registers *registers) { return arm_thread_state64_get_pc(*registers); }
static uint64_t frame_pointer(const thread_registers *registers) { return arm_thread_state64_get_fp(*registers); }
#else
typedef x86_thread_state64_t thread_registers;
enum { REGISTERS = x86_THREAD_STATE64, REGISTER_WORDS = x86_THREAD_STATE64_COUNT };
static const uint64_t address_bits = UINT64_MAX;
static uint64_t program_counter(const thread_registers *registers) { return registers->__rip; }
static uint64_t frame_pointer(const thread_registers *registers) { return registers->__rbp; }
#endif

// Returns the port of a thread, by its system id. The caller deallocates it.
static thread_act_t port_of(uint64_t thread) {
  thread_act_array_t ports;
  mach_msg_type_number_t count;
  thread_act_t found = MACH_PORT_NULL;
  if (task_threads(mach_task_self(), &ports, &count) != KERN_SUCCESS) return found;
  for (mach_msg_type_number_t i = 0; i < count; i++) {
    thread_identifier_info_data_t identity;
    mach_msg_type_number_t words = THREAD_IDENTIFIER_INFO_COUNT;
    if (found == MACH_PORT_NULL
        && thread_info(ports[i], THREAD_IDENTIFIER_INFO, (thread_info_t)&identity, &words) == KERN_SUCCESS
        && identity.thread_id == thread)
      found = ports[i];
    else
      mach_port_deallocate(mach_task_self(), ports[i]);
  }
  vm_deallocate(mach_task_self(), (vm_address_t)ports, count * sizeof *ports);
  return found;
}

static uint64_t ns_of(time_value_t time) {
  return (uint64_t)time.seconds * 1000000000u + (uint64_t)time.microseconds * 1000u;
}

static uint64_t letter_of(int run_state) {
  switch (run_state) {
    case TH_STATE_RUNNING: return 'R';
    case TH_STATE_STOPPED: return 'T';
    case TH_STATE_UNINTERRUPTIBLE: return 'D';
    default: return 'S';
  }
}

int rlt_read_thread_evidence(uint64_t thread, rlt_thread_evidence *evidence) {
  memset(evidence, 0xFF, sizeof *evidence);
  evidence->stack_pointer = evidence->program_counter = evidence->awaited_thread = 0;
  evidence->descriptor = RLT_DESCRIPTOR_UNKNOWN;
  thread_act_t port = port_of(thread);
  if (port == MACH_PORT_NULL) return 0;
  thread_basic_info_data_t basic;
  mach_msg_type_number_t words = THREAD_BASIC_INFO_COUNT;
  int is_known = thread_info(port, THREAD_BASIC_INFO, (thread_info_t)&basic, &words) == KERN_SUCCESS;
  mach_port_deallocate(mach_task_self(), port);
  if (!is_known) return 0;
  evidence->state = letter_of(basic.run_state);
  evidence->cpu_ns = ns_of(basic.user_time) + ns_of(basic.system_time);
  return 1;
}

static int read_pair(void *context, uint64_t address, uint64_t pair[2]) {
  (void)context;
  return rlt_read_memory(address, pair, 2 * sizeof *pair);
}

// While the thread is suspended, only Mach calls are made: it may hold any lock.
rlt_sample_result rlt_sample(
    uint64_t thread, const rlt_thread_evidence *evidence, int signal, uint64_t *frames, size_t *count) {
  (void)evidence, (void)signal;
  *count = 0;
  thread_act_t port = port_of(thread);
  if (port == MACH_PORT_NULL) return RLT_MOVED_ON;
  if (thread_suspend(port) == KERN_SUCCESS) {
    thread_registers registers;
    mach_msg_type_number_t words = REGISTER_WORDS;
    if (thread_get_state(port, REGISTERS, (thread_state_t)&registers, &words) == KERN_SUCCESS)
      *count = rlt_walk_frames(
          (uint64_t)program_counter(&registers), (uint64_t)frame_pointer(&registers), address_bits, read_pair, NULL,
          frames, RLT_FRAMES_MAX);
    thread_resume(port);
  }
  mach_port_deallocate(mach_task_self(), port);
  return *count == 0 ? RLT_MOVED_ON : RLT_SAMPLED;
}

const char *rlt_stack_sampling(void) { return "mach"; }

#else

#include "rltrace_sample.h"
#include "rltrace_thread_evidence.h"

int rlt_read_thread_evidence(uint64_t thread, rlt_thread_evidence *evidence) {
  (void)thread, (void)evidence;
  return 0;
}

rlt_sample_result rlt_sample(
    uint64_t thread, const rlt_thread_evidence *evidence, int signal, uint64_t *frames, size_t *count) {
  (void)thread, (void)evidence, (void)signal, (void)frames;
  *count = 0;
  return RLT_MOVED_ON;
}

const char *rlt_stack_sampling(void) { return "none"; }

#endif

// Always returns 0: this system does not count the time without a processor.
int rlt_read_thread_account(uint64_t thread, rlt_thread_account *account) {
  (void)thread, (void)account;
  return 0;
}

void rlt_end_sampling(void) {}

// Always returns 1: on this system, the evidence about a sleeping thread has no stack pointer to compare.
int rlt_sleeps_as_before(uint64_t thread, const rlt_thread_evidence *evidence) {
  (void)thread, (void)evidence;
  return 1;
}

#endif
