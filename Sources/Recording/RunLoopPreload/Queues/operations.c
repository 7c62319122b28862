#include "operations.h"

#include "images.h"
#include "memory.h"
#include "symbols.h"

// Positions in Swift's class metadata and context descriptors (docs/ABI/TypeMetadata in the Swift project).
enum { SUPERCLASS = 1, ANCESTORS_MAX = 16, DESCRIPTOR_BYTES = 44, FIELD_VECTOR = 40 };
enum { IS_GENERIC = 1 << 7, MAY_HAVE_MORE = 3 << 16 | 1 << 29, HAS_VTABLE = 1 << 31 };

static uint32_t word_at(const char *descriptor, size_t offset) {
  uint32_t word;
  memcpy(&word, descriptor + offset, sizeof word);
  return word;
}

// Returns the offset of a BlockOperation's closure, from the field offsets in its class; 0 = not understood.
static uintptr_t block_offset(const uintptr_t *class, const char *descriptor) {
  uint32_t vector = word_at(descriptor, FIELD_VECTOR);
  if (vector == 0 || vector > 1024) return 0;
  uintptr_t offset = class[vector];
  return (offset & 7) == 0 && offset >= 2 * sizeof(uintptr_t) && offset < 4096 ? offset : 0;
}

// Returns the word of a class that holds a method, from its position among the methods of the class that introduced
// it; 0 = not understood.
static uintptr_t method_word(const char *descriptor, const char *method) {
  uint32_t flags = word_at(descriptor, 0);
  if ((flags & (IS_GENERIC | MAY_HAVE_MORE)) != 0 || (flags & (uint32_t)HAS_VTABLE) == 0) return 0;
  uint32_t first = word_at(descriptor, DESCRIPTOR_BYTES), count = word_at(descriptor, DESCRIPTOR_BYTES + 4);
  const char *methods = descriptor + DESCRIPTOR_BYTES + 8;
  enum { METHOD_BYTES = 8 };
  if (first == 0 || first > 1024 || method < methods || method >= methods + (size_t)count * METHOD_BYTES) return 0;
  return first + (uintptr_t)(method - methods) / METHOD_BYTES;
}

static uintptr_t overridden(const uintptr_t *class, const char *descriptor, const char *method) {
  uintptr_t word = descriptor == NULL || method == NULL ? 0 : method_word(descriptor, method);
  return word != 0 && rlp_kind_of(class[word]) == RLP_PROGRAM_CODE ? class[word] : 0;
}

typedef struct {
  const uintptr_t *class;
  uintptr_t method;  // the method that it overrides
  int is_block;
} operation_class;

// Examines a class: Foundation's BlockOperation, a subclass in the program, or neither.
static operation_class look_at(const uintptr_t *class) {
  static void *block_, *class_, *descriptor_, *main_, *start_;
  const void *ancestor = rlp_real("$s10Foundation9OperationCN", &class_);
  operation_class found = {class, 0, class == rlp_real("$s10Foundation14BlockOperationCN", &block_)};
  if (found.is_block || ancestor == NULL) return found;
  const uintptr_t *at = class;
  for (int i = 0; at != ancestor; i++) {
    uintptr_t head[SUPERCLASS + 1];
    if (i == ANCESTORS_MAX || ((uintptr_t)at & 7) != 0 || !rlp_read(at, head, sizeof head)) return found;
    at = (const uintptr_t *)head[SUPERCLASS];
  }
  const char *descriptor = rlp_real("$s10Foundation9OperationCMn", &descriptor_);
  found.method = overridden(class, descriptor, rlp_real("$s10Foundation9OperationC4mainyyFTq", &main_));
  if (found.method == 0)
    found.method = overridden(class, descriptor, rlp_real("$s10Foundation9OperationC5startyyFTq", &start_));
  return found;
}

int rlp_operation_closure(uintptr_t object, uintptr_t *closure) {
  // The classes that were examined last. Thread-local, so that no other thread changes them.
  enum { REMEMBERED = 8 };
  static RLT_TLS operation_class known[REMEMBERED];
  static void *descriptor_;
  const uintptr_t *class;
  if (object < 1 << 16 || (object & 15) != 0 || rlp_is_in_image(object)) return 0;
  if (!rlp_read((const void *)object, &class, sizeof class) || class == NULL) return 0;
  operation_class *found = &known[((uintptr_t)class >> 4) % REMEMBERED];
  if (found->class != class) *found = look_at(class);
  if (found->is_block) {
    const char *descriptor = rlp_real("$s10Foundation14BlockOperationCMn", &descriptor_);
    uintptr_t offset = descriptor == NULL ? 0 : block_offset(class, descriptor);
    if (offset == 0) return 0;
    memcpy(closure, (const char *)object + offset, 2 * sizeof *closure);
    return closure[0] != 0;
  }
  closure[0] = found->method;
  closure[1] = 0;
  return closure[0] != 0;
}
