#include "queue_layout.h"

#include "program_symbols.h"
#include "queue_waits.h"
#include "rltrace_thread_evidence.h"

// A queue's label follows its number and comes before its width.
static uint32_t label_offset;  // 0 = not known, or not understood

// The least width that limits nothing.
enum { NO_LIMIT = 0xFFE };

static uint64_t word_at(const void *queue, uint32_t offset) {
  return __atomic_load_n((const uint64_t *)(const void *)((const char *)queue + offset), __ATOMIC_RELAXED);
}

static uint32_t width_at(const void *queue, uint32_t offset) {
  return __atomic_load_n(
      (const uint16_t *)(const void *)((const char *)queue + offset + sizeof(uint64_t)), __ATOMIC_RELAXED);
}

// Returns the offset of the label if number and width are beside it in both queues; 0 = not understood.
static uint32_t find_label(const void *serial, const void *wide, const char *(*label)(const void *)) {
  size_t size = malloc_usable_size((void *)serial), of_wide = malloc_usable_size((void *)wide);
  if (of_wide < size) size = of_wide;
  for (uint32_t at = 2 * sizeof(uint64_t); at + 2 * sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    if (word_at(serial, at) != (uintptr_t)label(serial) || word_at(wide, at) != (uintptr_t)label(wide)) continue;
    uint64_t first = word_at(serial, at - sizeof(uint64_t)), second = word_at(wide, at - sizeof(uint64_t));
    // Other threads may have made queues in between.
    enum { NUMBERS_BETWEEN = 1 << 20 };
    int is_numbered = first > 0 && first < second && second - first < NUMBERS_BETWEEN && second < UINT32_MAX;
    return is_numbered && width_at(serial, at) == 1 && width_at(wide, at) >= NO_LIMIT ? at : 0;
  }
  return 0;
}

static void learn(void) {
  __auto_type create = RLP_STATIC_OR_REAL(void *(*)(const char *, void *), dispatch_queue_create);
  __auto_type release = RLP_STATIC_OR_REAL(void (*)(void *), dispatch_release);
  __auto_type label = RLP_STATIC_OR_REAL(const char *(*)(const void *), dispatch_queue_get_label);
  void *concurrent = RLP_STATIC_OR_REAL(void *, _dispatch_queue_attr_concurrent);
  if (create == NULL || release == NULL || label == NULL || concurrent == NULL) return;
  void *serial = create("rltrace", NULL), *wide = create("rltrace", concurrent);
  if (serial != NULL && wide != NULL) label_offset = find_label(serial, wide, label);
  if (serial != NULL) release(serial);
  if (wide != NULL) release(wide);
  rlp_learn_queue_owner();
}

void rlp_learn_queue_layout(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, learn);
}

uint64_t rlp_queue_serial(const void *queue) {
  return label_offset == 0 ? 0 : word_at(queue, label_offset - sizeof(uint64_t));
}

uint32_t rlp_queue_width(const void *queue, int *is_serial) {
  uint32_t width = label_offset == 0 ? 0 : width_at(queue, label_offset);
  *is_serial = width == 1;
  return width < NO_LIMIT ? width : 0;
}

// The bits of a queue's state. The lowest 32 have the thread that runs its work, or that a thread is to run it. The next
// ones say that the queue got work while other work ran, and that a barrier waits for other work to end. The width is
// the number of threads that run work, as the distance to the full width. The highest bits count suspensions.
enum { DIRTY_BIT = 39, BARRIER_WAITS_BIT = 40, WIDTH_SHIFT = 41, WIDTH_MASK = 0x1FFF, SUSPENDED_SHIFT = 55 };
enum { FULL_WIDTH = 0x1000 };
static const uint64_t taken = UINT32_MAX | (uint64_t)1 << DIRTY_BIT | (uint64_t)1 << BARRIER_WAITS_BIT
                              | UINT64_MAX << SUSPENDED_SHIFT;

int rlp_queue_may_be_taken(const void *queue, int is_barrier) {
  uint64_t holder;
  rlp_learn_queue_owner();
  return rlt_queue_owner_offset() == 0 || rlp_queue_is_taken(queue, is_barrier, &holder);
}

// Whether threads run work of a concurrent queue.
static int has_readers(const void *queue, uint64_t state) {
  rlp_learn_queue_layout();
  uint32_t width = label_offset == 0 ? 0 : width_at(queue, label_offset);
  // A queue of the system has no barriers, and a greater width.
  return width > 1 && width <= NO_LIMIT && (state >> WIDTH_SHIFT & WIDTH_MASK) + width > FULL_WIDTH;
}

int rlp_queue_is_taken(const void *queue, int is_barrier, uint64_t *holder) {
  uint32_t offset = rlt_queue_owner_offset();
  *holder = 0;
  if (offset == 0) return 0;
  uint64_t state = word_at(queue, offset);
  *holder = state & RLT_QUEUE_OWNER_MASK;
  return (state & taken) != 0 || (is_barrier && has_readers(queue, state));
}
