#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "rltrace_topology.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "rltrace_emit.h"
#include "rltrace_platform.h"
#include "rltrace_spool_space.h"
#include "rltrace_vocabulary.h"

enum { PLACES = 1 << 14, BUCKETS = 1 << 12, LOOPS = 256, MODE_WORDS = 4 };

// A set of modes, by id.
typedef struct {
  uint64_t words[MODE_WORDS];
} mode_set;

// An item in one loop, or not in a loop yet.
typedef struct {
  uint32_t object;
  uint32_t loop;   // 0 = in none
  uint32_t next;   // the next place in the bucket or in the free list; 0 = none
  uint8_t is_common;
  mode_set modes;
  rlt_loop_item item;
} place;

typedef struct {
  uint32_t object;  // 0 = the row is free
  uint8_t has_common_items;
  uint8_t has_unseen;
  uint8_t has_run;
  uint64_t address;
  uint64_t os_thread;
  mode_set modes;  // the modes that exist
  mode_set common_modes;
  uint64_t changes, pictured_changes;
  uint64_t pictured_ns;
} known_loop;

typedef struct {
  place places[PLACES];  // the first one is not used
  uint32_t buckets[BUCKETS];
  known_loop loops[LOOPS];
  uint32_t used, free;
  uint8_t is_late, common_mode;
} tables;

static const uint64_t stall_pause_ns = 1000000000;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tables *known;

static void begin_change(void) { pthread_mutex_lock(&lock); }
static void end_change(void) { pthread_mutex_unlock(&lock); }

static void put_mode(mode_set *set, uint8_t mode) { set->words[mode / 64] |= UINT64_C(1) << mode % 64; }
static void take_mode(mode_set *set, uint8_t mode) { set->words[mode / 64] &= ~(UINT64_C(1) << mode % 64); }
static int has_mode(const mode_set *set, uint8_t mode) { return set->words[mode / 64] >> mode % 64 & 1; }

void rlt_topology_begin(int is_late) {
  begin_change();
  if (known == NULL) known = rlt_map(NULL, sizeof *known, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  // Pages that were never used stay unused.
  if (known != NULL && known->used != 0) memset(known->places, 0, (known->used + 1) * sizeof *known->places);
  if (known != NULL) memset(known->buckets, 0, sizeof *known - offsetof(tables, buckets));
  if (known != NULL) known->is_late = is_late != 0;
  end_change();
}

void rlt_topology_renew_lock(void) { pthread_mutex_init(&lock, NULL); }

// MARK: Loops. The static functions are called with the tables locked.

static known_loop *find_loop(uint32_t object) {
  if (known == NULL || object == 0) return NULL;
  for (uint32_t i = 0; i < LOOPS; i++)
    if (known->loops[i].object == object) return &known->loops[i];
  return NULL;
}

static known_loop *make_loop(uint32_t object) {
  if (known == NULL || object == 0) return NULL;
  for (uint32_t i = 0; i < LOOPS; i++) {
    if (known->loops[i].object != 0) continue;
    known->loops[i] = (known_loop){.object = object, .has_unseen = known->is_late};
    return &known->loops[i];
  }
  return NULL;
}

void rlt_topology_loop(uint32_t object, const void *address, uint8_t default_mode, uint64_t os_thread) {
  begin_change();
  known_loop *loop = find_loop(object);
  if (loop == NULL && (loop = make_loop(object)) != NULL) {
    put_mode(&loop->modes, default_mode);
    put_mode(&loop->common_modes, default_mode);
  }
  if (loop != NULL) {
    loop->address = (uint64_t)(uintptr_t)address;
    if (os_thread != 0) loop->os_thread = os_thread;
  }
  end_change();
}

void rlt_topology_note_unseen(uint32_t object) {
  begin_change();
  known_loop *loop = find_loop(object);
  if (loop != NULL) loop->has_unseen = 1;
  end_change();
}

// MARK: Items. The static functions are called with the tables locked.

static uint32_t *bucket_of(uint32_t object) { return &known->buckets[object * 0x9E3779B1u >> 20]; }

static place *find_place(uint32_t object, uint32_t loop) {
  for (uint32_t at = *bucket_of(object); at != 0; at = known->places[at].next)
    if (known->places[at].object == object && known->places[at].loop == loop) return &known->places[at];
  return NULL;
}

static place *make_place(uint32_t object, uint32_t loop, const rlt_loop_item *item) {
  uint32_t at = known->free;
  if (at != 0) known->free = known->places[at].next;
  else if (known->used + 1 < PLACES) at = ++known->used;
  else return NULL;
  known->places[at] = (place){.object = object, .loop = loop, .next = *bucket_of(object), .item = *item};
  *bucket_of(object) = at;
  return &known->places[at];
}

static place *any_place(uint32_t object) {
  for (uint32_t at = *bucket_of(object); at != 0; at = known->places[at].next)
    if (known->places[at].object == object) return &known->places[at];
  return NULL;
}

// Returns the place of an item in a loop. A source may be in several loops.
static place *place_in(uint32_t object, uint32_t loop) {
  place *found = find_place(object, loop);
  if (found != NULL) return found;
  place *unused = find_place(object, 0);
  if (unused != NULL) {
    unused->loop = loop;
    return unused;
  }
  const place *other = any_place(object);
  // Timers and observers stay with their first loop.
  if (other == NULL || (other->item.kind != RLT_ITEM_SOURCE0 && other->item.kind != RLT_ITEM_SOURCE1)) return NULL;
  rlt_loop_item item = other->item;
  return make_place(object, loop, &item);
}

static void forget_places(uint32_t object) {
  for (uint32_t *link = bucket_of(object); *link != 0;) {
    place *at = &known->places[*link];
    if (at->object != object) {
      link = &at->next;
      continue;
    }
    known_loop *loop = find_loop(at->loop);
    if (loop != NULL) loop->changes += 1;
    uint32_t number = *link;
    *link = at->next;
    *at = (place){.next = known->free};
    known->free = number;
  }
}

void rlt_topology_item(uint32_t object, const rlt_loop_item *item) {
  if (object == 0) return;
  begin_change();
  if (known != NULL) {
    forget_places(object);
    // If the table is full, the item is unknown.
    make_place(object, 0, item);
  }
  end_change();
}

void rlt_topology_item_ended(uint32_t object) {
  begin_change();
  if (known != NULL && object != 0) forget_places(object);
  end_change();
}

void rlt_topology_add(uint32_t object, uint32_t in, uint8_t mode, int is_common) {
  begin_change();
  known_loop *loop = find_loop(in);
  if (loop != NULL) {
    place *item = place_in(object, in);
    if (item == NULL && any_place(object) == NULL) loop->has_unseen = 1;
    loop->changes += 1;
    if (is_common) {
      loop->has_common_items = 1;
      known->common_mode = mode;
      for (int i = 0; item != NULL && i < MODE_WORDS; i++) {
        item->modes.words[i] |= loop->common_modes.words[i];
        loop->modes.words[i] |= loop->common_modes.words[i];
      }
      if (item != NULL) item->is_common = 1;
    } else {
      put_mode(&loop->modes, mode);
      if (item != NULL) put_mode(&item->modes, mode);
    }
  }
  end_change();
}

void rlt_topology_remove(uint32_t object, uint32_t in, uint8_t mode, int is_common) {
  begin_change();
  known_loop *loop = find_loop(in);
  place *item = loop == NULL || object == 0 ? NULL : find_place(object, in);
  if (item != NULL) {
    loop->changes += 1;
    if (!is_common) take_mode(&item->modes, mode);
    // An item that was added to each common mode separately stays in them.
    for (int i = 0; is_common && item->is_common && i < MODE_WORDS; i++)
      item->modes.words[i] &= ~loop->common_modes.words[i];
    if (is_common) item->is_common = 0;
    int is_in_any = item->is_common;
    for (int i = 0; i < MODE_WORDS; i++) is_in_any |= item->modes.words[i] != 0;
    // An item that is no longer in this loop may be added to another one.
    if (!is_in_any) item->loop = 0;
  }
  end_change();
}

uint32_t rlt_topology_loop_of(uint32_t object) {
  begin_change();
  const place *item = known == NULL || object == 0 ? NULL : any_place(object);
  uint32_t loop = item == NULL ? 0 : item->loop;
  end_change();
  return loop;
}

void rlt_topology_add_common_mode(uint32_t object, uint8_t mode) {
  begin_change();
  known_loop *loop = find_loop(object);
  if (loop != NULL && !has_mode(&loop->common_modes, mode)) {
    loop->changes += 1;
    put_mode(&loop->common_modes, mode);
    // The mode gets the common items. If there are any, this creates the mode.
    if (loop->has_common_items) put_mode(&loop->modes, mode);
    for (uint32_t at = 1; at <= known->used; at++)
      if (known->places[at].loop == object && known->places[at].is_common) put_mode(&known->places[at].modes, mode);
  }
  end_change();
}

void rlt_topology_loop_ended(uint32_t object) {
  begin_change();
  known_loop *loop = find_loop(object);
  if (loop != NULL) {
    for (uint32_t at = 1; at <= known->used; at++) {
      place *item = &known->places[at];
      if (item->loop != object) continue;
      item->loop = 0;
      item->is_common = 0;
      item->modes = (mode_set){{0}};
    }
    *loop = (known_loop){.object = 0};
  }
  end_change();
}

// MARK: Snapshots

// Reads the due point through the kernel, because the memory may just have been freed.
static int read_due(uint64_t address, uint64_t *due) {
  // A due point in the farthest future means that the timer is not armed.
  return address != 0 && rlt_read_memory(address, due, sizeof *due) && *due <= INT64_MAX;
}

static void emit_item(const place *at, uint8_t mode, int is_first) {
  const rlt_loop_item *item = &at->item;
  uint64_t due = 0;
  const int has_due = is_first && item->kind == RLT_ITEM_TIMER && read_due(item->due_address, &due);
  const uint64_t arguments[] = {
      item->kind, item->name, (uint64_t)item->order, item->address, item->activities, item->repeats,
      item->interval_ns, item->tolerance_ns, due};
  enum { ALL = sizeof arguments / sizeof *arguments };
  rlt_emit_arguments(RLT_KIND_TOPOLOGY_ITEM, mode, at->object, arguments, is_first ? ALL - !has_due : 0);
}

// Called with the tables locked.
static void picture(known_loop *loop, uint8_t current, uint64_t reason) {
  loop->pictured_changes = loop->changes;
  loop->pictured_ns = rlt_monotonic_ns();
  const uint64_t head[] = {reason, loop->address, loop->has_unseen};
  rlt_emit_arguments(RLT_KIND_TOPOLOGY_BEGIN, current, loop->object, head, 3);
  for (int mode = 0; mode < 256; mode++) {
    if (!has_mode(&loop->modes, (uint8_t)mode) && !has_mode(&loop->common_modes, (uint8_t)mode)) continue;
    const uint64_t state =
        has_mode(&loop->common_modes, (uint8_t)mode) | !has_mode(&loop->modes, (uint8_t)mode) << 1;
    rlt_emit_arguments(RLT_KIND_TOPOLOGY_MODE, (uint8_t)mode, loop->object, &state, 1);
  }
  uint64_t written = 0, omitted = 0;
  for (uint32_t at = 1; at <= known->used; at++) {
    const place *item = &known->places[at];
    if (item->loop != loop->object) continue;
    int is_first = 1;
    for (int mode = 0; mode < 256; mode++) {
      if (!has_mode(&item->modes, (uint8_t)mode) && !(item->is_common && mode == known->common_mode)) continue;
      if (written == RLT_TOPOLOGY_ITEMS_MAX) {
        omitted += 1;
        continue;
      }
      emit_item(item, (uint8_t)mode, is_first);
      is_first = 0;
      written += 1;
    }
  }
  const uint64_t tail[] = {written, omitted};
  rlt_emit_arguments(RLT_KIND_TOPOLOGY_END, current, loop->object, tail, 2);
}

void rlt_topology_snapshot(uint32_t object, uint8_t mode, uint64_t reason) {
  begin_change();
  known_loop *loop = find_loop(object);
  if (loop != NULL) {
    if (reason == RLT_SNAPSHOT_AT_START) loop->has_run = 1;
    picture(loop, mode, reason);
  }
  end_change();
}

// Returns 0 if the lock is not soon available: the thread that holds it may be stopped.
static int begin_change_soon(void) {
  for (int tries = 0; pthread_mutex_trylock(&lock) != 0; tries++) {
    if (tries == 5) return 0;
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = 1000000};
    nanosleep(&pause, NULL);
  }
  return 1;
}

static int has_items(uint32_t loop) {
  for (uint32_t at = 1; at <= known->used; at++)
    if (known->places[at].loop == loop) return 1;
  return 0;
}

void rlt_topology_snapshot_unrun(uint32_t object) {
  if (!begin_change_soon()) return;
  for (uint32_t i = 0; known != NULL && i < LOOPS; i++) {
    known_loop *loop = &known->loops[i];
    if (loop->object == 0 || loop->has_run || (object != 0 && loop->object != object)) continue;
    if (has_items(loop->object)) picture(loop, 0, RLT_SNAPSHOT_AT_END);
  }
  end_change();
}

void rlt_topology_snapshot_of_thread(uint64_t os_thread, uint8_t mode, uint64_t reason) {
  if (!begin_change_soon()) return;
  for (uint32_t i = 0; known != NULL && os_thread != 0 && i < LOOPS; i++) {
    known_loop *loop = &known->loops[i];
    if (loop->object == 0 || loop->os_thread != os_thread) continue;
    if (reason == RLT_SNAPSHOT_AT_STALL && loop->changes == loop->pictured_changes
        && rlt_monotonic_ns() - loop->pictured_ns < stall_pause_ns)
      continue;
    picture(loop, mode, reason);
  }
  end_change();
}
