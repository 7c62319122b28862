#include "queue_layout.h"

#include "program_symbols.h"

// A queue's label follows its number and comes before its width.
static uint32_t label_offset;  // 0 = not known, or not understood

// The least width that limits nothing.
enum { NO_LIMIT = 0xFFE };

static uint32_t width_at(const void *queue, uint32_t offset) {
  return __atomic_load_n(
      (const uint16_t *)(const void *)((const char *)queue + offset + sizeof(uint64_t)), __ATOMIC_RELAXED);
}

// Returns the offset of the label if number and width are beside it in both queues; 0 = not understood.
static uint32_t find_label(const void *serial, const void *wide, const char *(*label)(const void *)) {
  size_t size = malloc_usable_size((void *)serial), of_wide = malloc_usable_size((void *)wide);
  if (of_wide < size) size = of_wide;
  for (uint32_t at = 2 * sizeof(uint64_t); at + 2 * sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    if (rlp_queue_word(serial, at) != (uintptr_t)label(serial)
        || rlp_queue_word(wide, at) != (uintptr_t)label(wide))
      continue;
    uint32_t number = at - sizeof(uint64_t);
    uint64_t first = rlp_queue_word(serial, number), second = rlp_queue_word(wide, number);
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
  if (serial != NULL && wide != NULL)
    __atomic_store_n(&label_offset, find_label(serial, wide, label), __ATOMIC_RELAXED);
  if (serial != NULL) release(serial);
  if (wide != NULL) release(wide);
  rlp_learn_queue_owner();
}

uint64_t rlp_queue_serial(const void *queue) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  uint32_t offset = __atomic_load_n(&label_offset, __ATOMIC_RELAXED);
  if (__builtin_expect(offset == 0, 0)) {
    pthread_once(&once, learn);
    offset = label_offset;
  }
  return offset == 0 ? 0 : rlp_queue_word(queue, offset - sizeof(uint64_t));
}

uint32_t rlp_queue_width(const void *queue, int *is_serial) {
  uint32_t width = label_offset == 0 ? 0 : width_at(queue, label_offset);
  *is_serial = width == 1;
  return width < NO_LIMIT ? width : 0;
}

// The width part of a queue's state is the number of threads that run work, as the distance to the full width.
enum { WIDTH_SHIFT = 41, WIDTH_MASK = 0x1FFF, FULL_WIDTH = 0x1000 };

int rlp_has_readers(const void *queue, uint64_t state) {
  rlp_queue_serial(queue);  // learns the layout
  uint32_t width = label_offset == 0 ? 0 : width_at(queue, label_offset);
  // A queue of the system has no barriers, and a greater width.
  return width > 1 && width <= NO_LIMIT && (state >> WIDTH_SHIFT & WIDTH_MASK) + width > FULL_WIDTH;
}
