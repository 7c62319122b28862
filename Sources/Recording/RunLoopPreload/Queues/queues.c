#include "queues.h"

#include "images.h"
#include "memory.h"
#include "names.h"
#include "objects.h"
#include "program_symbols.h"
#include "queue_layout.h"

enum { QUEUES_BITS = 14, QUEUES = 1 << QUEUES_BITS, PLACES = 32, LABEL_BYTES = 256 };

// The address is stored last, and the identity after the object. So a thread that finds both has the right object: it
// holds the queue, whose address no other queue has meanwhile.
typedef struct {
  uintptr_t address;   // 0 = free, CHANGING
  uint64_t identity;   // distinguishes queues that had the address one after the other
  uint32_t object;
  uint32_t session;    // the recording that knows the object
} entry;

enum { CHANGING = 1 };
static entry entries[QUEUES];

typedef struct {
  char name[LABEL_BYTES];
  uint64_t kind, width;
} description;

static entry *place(uintptr_t address, int i) {
  return &entries[((address * 0x9E3779B97F4A7C15u >> (64 - QUEUES_BITS)) + (unsigned)i) % QUEUES];
}

static uint32_t known(uintptr_t address, uint64_t identity) {
  for (int i = 0; i < PLACES; i++) {
    const entry *at = place(address, i);
    uintptr_t found = __atomic_load_n(&at->address, __ATOMIC_ACQUIRE);
    if (found == 0) return 0;
    if (found != address) continue;
    int is_same = __atomic_load_n(&at->identity, __ATOMIC_ACQUIRE) == identity
                  && __atomic_load_n(&at->session, __ATOMIC_RELAXED) == rlp_session();
    return is_same ? __atomic_load_n(&at->object, __ATOMIC_RELAXED) : 0;
  }
  return 0;
}

// Returns the entry of an address, or one that it may get; NULL = there are too many queues.
static entry *find_or_take(uintptr_t address) {
  for (int i = 0; i < PLACES; i++) {
    entry *at = place(address, i);
    uintptr_t found = __atomic_load_n(&at->address, __ATOMIC_RELAXED);
    if (found == address || found == 0) return at;
  }
  return NULL;
}

// Called with the tables locked.
static uint32_t renew(entry *at, uintptr_t address, uint64_t identity, uint32_t name, const description *found) {
  uint32_t earlier = at->session == rlp_session() ? at->object : 0, object = rlp_object_make();
  if (object == 0) return 0;
  __atomic_store_n(&at->address, CHANGING, __ATOMIC_RELEASE);
  if (earlier != 0) {
    rlt_emit(RLT_KIND_QUEUE_END, earlier);
    rlp_object_release(earlier);
  }
  rlt_spool_note(rlt_current_spool(), RLT_SEEN_WORK);
  RLP_EMIT(RLT_KIND_QUEUE_CREATE, rlt_thread.mode, object, name, found->kind, found->width);
  __atomic_store_n(&at->object, object, __ATOMIC_RELEASE);
  __atomic_store_n(&at->session, rlp_session(), __ATOMIC_RELEASE);
  __atomic_store_n(&at->identity, identity, __ATOMIC_RELEASE);
  __atomic_store_n(&at->address, address, __ATOMIC_RELEASE);
  return object;
}

static uint32_t describe(uintptr_t address, uint64_t identity, const description *found) {
  uint32_t name = rlp_string(found->name);
  rlp_lock();
  entry *at = find_or_take(address);
  // Another thread may have been faster.
  uint32_t object = known(address, identity);
  if (object == 0 && at != NULL) object = renew(at, address, identity, name, found);
  rlp_unlock();
  return object;
}

// MARK: Dispatch queues

static const char *label_of(const void *queue) {
  __auto_type get = RLP_STATIC_OR_REAL(const char *(*)(const void *), dispatch_queue_get_label);
  const char *label = get == NULL ? NULL : get(queue);
  return label == NULL ? "" : label;
}

// If queues have no numbers, their labels distinguish them.
static uint64_t identity_of(const void *queue) {
  uint64_t hash = rlp_queue_serial(queue);
  if (__builtin_expect(hash != 0, 1)) return hash;
  hash = 14695981039346656037u;
  for (const char *at = label_of(queue); *at != 0; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  return hash;
}

static description description_of_queue(const void *queue) {
  description found = {.kind = RLT_QUEUE_OF_CONCURRENT};
  int is_serial;
  snprintf(found.name, sizeof found.name, "%s", label_of(queue));
  found.width = rlp_queue_width(queue, &is_serial);
  rlp_look_for_images();
  if (strcmp(found.name, RLP_POOL_LABEL) == 0) found.kind = RLT_QUEUE_OF_COOPERATIVE_POOL;
  else if (is_serial) found.kind = RLT_QUEUE_OF_SERIAL;
  // Queues that the program makes are on the heap.
  else if (rlp_is_in_image((uintptr_t)queue)) found.kind = RLT_QUEUE_OF_GLOBAL;
  return found;
}

uint32_t rlp_queue_object_of(const void *queue) {
  uint64_t identity = identity_of(queue);
  uint32_t object = known((uintptr_t)queue, identity);
  if (__builtin_expect(object != 0, 1)) return object;
  if (find_or_take((uintptr_t)queue) == NULL) return 0;
  description found = description_of_queue(queue);
  return describe((uintptr_t)queue, identity, &found);
}

// MARK: Actors

typedef struct {
  const char *text;
  uintptr_t length;
} type_name;

// Writes the name of an object's type. Returns 0 if the object is not one of a Swift class.
static int write_type(const void *type, char *name, size_t size) {
  // The kind of a class, in the first word of its metadata.
  enum { KIND_CLASS = 0 };
  uintptr_t kind;
  __auto_type get = RLP_REAL(type_name (*)(const void *, _Bool), swift_getTypeName);
  if (get == NULL || ((uintptr_t)type & 7) != 0 || !rlp_read(type, &kind, sizeof kind) || kind != KIND_CLASS) return 0;
  // A full name contains an address if the type is private.
  type_name found = get(type, 0);
  if (found.text == NULL) return 0;
  snprintf(name, size, "%.*s", (int)(found.length < size ? found.length : size - 1), found.text);
  return 1;
}

uint32_t rlp_actor_object_of(const void *actor, int is_executor) {
  if ((uintptr_t)actor < 1 << 16 || ((uintptr_t)actor & 7) != 0) return 0;
  // An actor at the address of an earlier one of its type counts as the same.
  const void *type = *(const void *const *)actor;
  uint32_t object = known((uintptr_t)actor, (uintptr_t)type);
  if (__builtin_expect(object != 0, 1)) return object;
  if (find_or_take((uintptr_t)actor) == NULL) return 0;
  description found = {.kind = is_executor ? RLT_QUEUE_OF_EXECUTOR : RLT_QUEUE_OF_ACTOR, .width = 1};
  if (!write_type(type, found.name, sizeof found.name)) return 0;
  return describe((uintptr_t)actor, (uintptr_t)type, &found);
}
