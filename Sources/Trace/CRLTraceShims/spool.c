#define _GNU_SOURCE
#include "rltrace_spool.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "rltrace_clock.h"
#include "rltrace_platform.h"

enum { PAGE = 16384 };  // the largest page size of the supported systems

static uint64_t round_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

static uint64_t names_offset(void) {
  return round_up(RLT_SPOOL_HEADER_BYTES + RLT_SPOOL_RINGS * sizeof(rlt_ring), PAGE);
}

static uint64_t slots_offset(void) { return names_offset() + RLT_SPOOL_NAMES_BYTES; }

// The classes of rings in their order: the number of rings, and the power of two by which they are smaller than the
// first ones. In total they have less than 70 times the slots of a large ring.
static const struct {
  uint32_t count, shift;
} classes[] = {
    {RLT_SPOOL_LARGE_RINGS, 0}, {128 - RLT_SPOOL_LARGE_RINGS, 2}, {128, 3}, {512, 6}, {RLT_SPOOL_RINGS - 768, 10}};
enum { CLASSES = sizeof classes / sizeof *classes, LEAST_SLOTS = 64 };

static uint64_t slots_of_class(uint64_t slots_per_ring, int class) {
  uint64_t slots = slots_per_ring >> classes[class].shift;
  return slots >= LEAST_SLOTS ? slots : slots_per_ring < LEAST_SLOTS ? slots_per_ring : LEAST_SLOTS;
}

uint64_t rlt_spool_ring_slots(uint64_t slots_per_ring, uint32_t number) {
  int class = 0;
  while (class < CLASSES - 1 && number >= classes[class].count) number -= classes[class++].count;
  return slots_of_class(slots_per_ring, class);
}

uint64_t rlt_spool_slots_offset(uint64_t slots_per_ring, uint32_t number) {
  uint64_t slots = 0;
  for (int class = 0; class < CLASSES && number > 0; class++) {
    uint32_t count = number < classes[class].count ? number : classes[class].count;
    slots += count * slots_of_class(slots_per_ring, class);
    number -= count;
  }
  return slots_offset() + slots * sizeof(rlt_record);
}

uint64_t rlt_spool_first_bytes(void) {
  return round_up(RLT_SPOOL_HEADER_BYTES + RLT_SPOOL_RINGS_AT_FIRST * sizeof(rlt_ring), PAGE);
}

size_t rlt_spool_bytes(uint64_t slots_per_ring) {
  if (slots_per_ring > (uint64_t)1 << 32) return 0;
  return rlt_spool_slots_offset(slots_per_ring, RLT_SPOOL_RINGS);
}

// A mutex of this process is enough, because one process at a time records into a spool. A child of fork gets a fresh
// one.
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t log_fork_once = PTHREAD_ONCE_INIT;
static void lock_log(void) { pthread_mutex_lock(&log_lock); }
static void unlock_log(void) { pthread_mutex_unlock(&log_lock); }

// A full disk may take a long time to refuse memory: btrfs searches everywhere for room, ten milliseconds each time.
// After a refusal, the next request waits 100 times as long as the refused one took, at most a second. So refusals cost
// a thread a hundredth of its time. This applies to all spools of this process, which are on one disk.
enum { REST_PER_REFUSAL = 100, LONGEST_REST_NS = 1000000000 };
static uint64_t rests_until_ns;

// Backs memory up to `end`. If two sides do so at the same time, the greater end is kept.
static int back(char *start, size_t size, uint64_t *backed, uint64_t end) {
  uint64_t behind = __atomic_load_n(backed, __ATOMIC_ACQUIRE);
  if (end <= behind) return 1;
  uint64_t asked_ns = rlt_monotonic_ns();
  if (asked_ns < __atomic_load_n(&rests_until_ns, __ATOMIC_RELAXED)) return 0;
  if (!rlt_back_memory(start + behind * size, (end - behind) * size)) {
    uint64_t refused_ns = rlt_monotonic_ns(), rest_ns = (refused_ns - asked_ns) * REST_PER_REFUSAL;
    if (rest_ns > LONGEST_REST_NS) rest_ns = LONGEST_REST_NS;
    __atomic_store_n(&rests_until_ns, refused_ns + rest_ns, __ATOMIC_RELAXED);
    return 0;
  }
  while (behind < end && !__atomic_compare_exchange_n(backed, &behind, end, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
  }
  return 1;
}

int rlt_spool_back_rings(rlt_spool *spool, uint64_t rings) {
  return back((char *)rlt_spool_ring(spool, 0), sizeof(rlt_ring), &spool->rings_backed, rings);
}

int rlt_spool_back_ring(rlt_spool *spool, rlt_ring *ring, uint64_t slots) {
  uint32_t number = (uint32_t)(ring - rlt_spool_ring(spool, 0));
  char *start = (char *)spool + rlt_spool_slots_offset(spool->slots_per_ring, number);
  return back(start, sizeof(rlt_record), &ring->backed, slots);
}

int rlt_spool_back_names(rlt_spool *spool, uint64_t bytes) {
  return back((char *)spool + names_offset(), 1, &spool->names_backed, bytes);
}

// The first request backs one page; later ones back more. Called with the log locked.
enum { FIRST_NAMES_BACKED = PAGE, MOST_NAMES_BACKED = 1 << 16 };
static int back_names(rlt_spool *spool, uint64_t end) {
  uint64_t behind = __atomic_load_n(&spool->names_backed, __ATOMIC_ACQUIRE);
  if (end <= behind) return 1;
  uint64_t wanted = end + (behind < MOST_NAMES_BACKED ? FIRST_NAMES_BACKED : MOST_NAMES_BACKED);
  return rlt_spool_back_names(spool, wanted < spool->names_bytes ? wanted : spool->names_bytes);
}

static void renew_log_lock(void) { pthread_mutex_init(&log_lock, NULL); }
static void watch_log_forks(void) { pthread_atfork(NULL, NULL, renew_log_lock); }

// Returns how far a clock is ahead of the monotonic one, so that all readings name the same moment. A thread that
// waits for a processor between two reads would make the system seem to have slept, so the narrowest bracket of
// several is used.
static uint64_t distance_ns(uint64_t (*clock)(void)) {
  uint64_t distance = 0, narrowest = UINT64_MAX;
  for (int i = 0; i < 8 && narrowest > 1000; i++) {
    uint64_t before = rlt_monotonic_ns(), now = clock(), width = rlt_monotonic_ns() - before;
    if (width >= narrowest) continue;
    narrowest = width;
    distance = now - before - width / 2;
  }
  return distance;
}

rlt_clock_reading rlt_read_clocks(int uses_cycles) {
  rlt_clock_reading best = {0, 0, 0, 0};
  uint64_t narrowest = UINT64_MAX;
  // Take the narrowest bracket of several: interrupts between two reads are common.
  for (int i = 0; i < 8; i++) {
    uint64_t before = uses_cycles ? rlt_cycles() : 0;
    uint64_t monotonic = rlt_monotonic_ns();
    uint64_t width = uses_cycles ? rlt_cycles() - before : 0;
    if (width >= narrowest) continue;
    narrowest = width;
    best.ticks = uses_cycles ? before + width / 2 : monotonic;
    best.monotonic_ns = monotonic;
  }
  best.boottime_ns = best.monotonic_ns + distance_ns(rlt_boottime_ns);
  best.realtime_ns = best.monotonic_ns + distance_ns(rlt_realtime_ns);
  return best;
}

static struct {
  uint32_t process;
  uint64_t start, space;
} self;

void rlt_know_process(void) {
  uint32_t process = (uint32_t)getpid();
  if (self.process == process) return;
  self.start = rlt_process_start(process);
  self.space = rlt_pid_namespace();
  self.process = process;
}

int rlt_spool_take(rlt_spool *spool) {
  uint32_t none = 0, process = (uint32_t)getpid();
  if (!__atomic_compare_exchange_n(&spool->program_pid, &none, process, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return 0;
  rlt_know_process();
  spool->program_start = self.start;
  __atomic_store_n(&spool->pid_namespace, self.space, __ATOMIC_RELEASE);
  return 1;
}

int rlt_spool_has_recorder(const rlt_spool *spool) {
  if (spool->recorder_pid == 0) return 0;
  uint64_t space = spool->recorder_namespace;
  return spool->recorder_start == 0 || space == 0 || space != rlt_pid_namespace()
         || spool->recorder_start == rlt_process_start(spool->recorder_pid);
}

int rlt_spool_announce(rlt_spool *spool, uint32_t process) {
  // One step, so that a process that is killed in between leaves no partial entry.
  for (uint32_t i = 0; i < RLT_SPOOL_CHILDREN_MAX; i++) {
    uint32_t none = 0, *place = &spool->children[(process + i) % RLT_SPOOL_CHILDREN_MAX];
    if (!__atomic_compare_exchange_n(place, &none, process, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) continue;
    // The recorder stores the end before it looks for children the last time, so at least one of the two sees the
    // other's store.
    return __atomic_load_n(&spool->is_stopped, __ATOMIC_SEQ_CST) == 0;
  }
  return 0;
}

uint32_t rlt_spool_take_child(rlt_spool *spool) {
  for (uint32_t i = 0; i < RLT_SPOOL_CHILDREN_MAX; i++) {
    if (__atomic_load_n(&spool->children[i], __ATOMIC_SEQ_CST) == 0) continue;
    return __atomic_exchange_n(&spool->children[i], 0, __ATOMIC_ACQUIRE);
  }
  return 0;
}

int rlt_spool_is_of_this_boot(const rlt_spool *spool) {
  uint8_t id[16];
  rlt_read_boot_id(id);
  return memcmp(id, spool->boot_id, sizeof id) == 0;
}

void rlt_spool_format(rlt_spool *spool, uint64_t slots_per_ring, uint32_t flags, uint32_t time_unit_ns,
                      uint32_t recorder_pid, uint64_t recording) {
  spool->version = RLT_SPOOL_VERSION;
  spool->flags = flags;
  spool->bytes = rlt_spool_bytes(slots_per_ring);
  spool->rings_offset = RLT_SPOOL_HEADER_BYTES;
  spool->names_offset = names_offset();
  spool->names_bytes = RLT_SPOOL_NAMES_BYTES;
  spool->slots_offset = slots_offset();
  spool->slots_per_ring = slots_per_ring;
  spool->ring_count = RLT_SPOOL_RINGS;
  spool->rings_backed = RLT_SPOOL_RINGS_AT_FIRST;
  spool->time_unit_ns = time_unit_ns;
  spool->recorder_pid = recorder_pid;
  spool->recording = recording;
  rlt_read_boot_id(spool->boot_id);
  spool->origin = rlt_read_clocks((flags & RLT_SPOOL_USES_CYCLES) != 0);
  uint64_t magic;
  memcpy(&magic, RLT_SPOOL_MAGIC, sizeof magic);
  __atomic_store_n((uint64_t *)(void *)spool->magic, magic, __ATOMIC_RELEASE);
}

int rlt_spool_is_sound(const void *memory, uint64_t bytes) {
  if (bytes < RLT_SPOOL_HEADER_BYTES) return 0;
  const rlt_spool *spool = memory;
  uint64_t slots = spool->slots_per_ring;
  return memcmp(spool->magic, RLT_SPOOL_MAGIC, sizeof spool->magic) == 0 && spool->version == RLT_SPOOL_VERSION
         && spool->ring_count == RLT_SPOOL_RINGS && spool->rings_offset == RLT_SPOOL_HEADER_BYTES && slots >= 64
         && slots <= (uint64_t)1 << 32 && (slots & (slots - 1)) == 0 && spool->names_offset == names_offset()
         && spool->names_bytes == RLT_SPOOL_NAMES_BYTES && spool->slots_offset == slots_offset()
         && spool->bytes == rlt_spool_bytes(slots) && spool->bytes <= bytes;
}

int rlt_spool_append(rlt_spool *spool, uint16_t type, uint16_t flags, uint32_t id, const void *first,
                     size_t first_bytes, const void *second, size_t second_bytes) {
  pthread_once(&log_fork_once, watch_log_forks);
  uint64_t payload = first_bytes + second_bytes;
  uint64_t bytes = round_up(sizeof(rlt_name_entry) + payload, 8);
  lock_log();
  uint64_t used = spool->names_used;
  int fits = payload <= UINT32_MAX / 2 && used + bytes <= spool->names_bytes && back_names(spool, used + bytes);
  if (fits) {
    char *at = (char *)spool + names_offset() + used;
    rlt_name_entry entry = {(uint32_t)bytes, type, flags, id, (uint32_t)payload};
    memcpy(at, &entry, sizeof entry);
    if (first_bytes > 0) memcpy(at + sizeof entry, first, first_bytes);
    if (second_bytes > 0) memcpy(at + sizeof entry + first_bytes, second, second_bytes);
    // Only complete entries count: a process may be killed in the middle of one.
    __atomic_store_n(&spool->names_used, used + bytes, __ATOMIC_RELEASE);
  } else {
    spool->names_refused += 1;
    if (used + bytes <= spool->names_bytes) __atomic_fetch_add(&spool->unbacked_names, 1, __ATOMIC_RELAXED);
  }
  unlock_log();
  return fits;
}

uint32_t rlt_spool_append_string(rlt_spool *spool, uint16_t type, const void *bytes, size_t count) {
  if (__atomic_load_n(&spool->strings, __ATOMIC_RELAXED) >= RLT_SPOOL_STRINGS_MAX) return 0;
  uint32_t id = __atomic_add_fetch(&spool->strings, 1, __ATOMIC_RELAXED);
  return rlt_spool_append(spool, type, 0, id, bytes, count, NULL, 0) ? id : 0;
}

void rlt_spool_note_clocks(rlt_spool *spool) {
  if (pthread_mutex_trylock(&log_lock) != 0) return;
  spool->latest = rlt_read_clocks((spool->flags & RLT_SPOOL_USES_CYCLES) != 0);
  unlock_log();
}

void rlt_spool_note_alive(rlt_spool *spool, rlt_clock_reading reading) {
  uint64_t count = __atomic_load_n(&spool->seen_alive_count, __ATOMIC_RELAXED) + 1;
  spool->seen_alive[count % 2] = reading;
  __atomic_store_n(&spool->seen_alive_count, count, __ATOMIC_RELEASE);
}

int rlt_spool_newest_alive(const rlt_spool *spool, rlt_clock_reading *reading) {
  uint64_t count = __atomic_load_n(&spool->seen_alive_count, __ATOMIC_ACQUIRE);
  *reading = spool->seen_alive[count % 2];
  return count != 0;
}

// Two words change, and a reader after a kill must not see only one of the changes. The tail decides which values
// count. Each store is a release store, so that none is reordered before an earlier one.
void rlt_spool_give_back(rlt_spool *spool, uint32_t number, uint64_t tail, uint64_t events) {
  uint64_t written = spool->written_events + events;
  __atomic_store_n(&spool->giving_tail, tail, __ATOMIC_RELEASE);
  __atomic_store_n(&spool->giving_written, written, __ATOMIC_RELEASE);
  __atomic_store_n(&spool->giving_ring, number + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&rlt_spool_ring(spool, number)->tail, tail, __ATOMIC_RELEASE);
  __atomic_store_n(&spool->written_events, written, __ATOMIC_RELEASE);
  __atomic_store_n(&spool->giving_ring, 0, __ATOMIC_RELEASE);
}

uint64_t rlt_spool_written_events(const rlt_spool *spool) {
  uint32_t giving = spool->giving_ring;
  int was_given =
      giving > 0 && giving <= RLT_SPOOL_RINGS && rlt_spool_ring(spool, giving - 1)->tail == spool->giving_tail;
  return was_given ? spool->giving_written : spool->written_events;
}

void rlt_spool_begin_writing(rlt_spool *spool, uint64_t events) {
  __atomic_store_n(&spool->giving_written, spool->written_events + events, __ATOMIC_RELEASE);
  __atomic_store_n(&spool->giving_ring, RLT_SPOOL_NO_RING, __ATOMIC_RELEASE);
}

void rlt_spool_end_writing(rlt_spool *spool, int is_written) {
  if (is_written) __atomic_store_n(&spool->written_events, spool->giving_written, __ATOMIC_RELEASE);
  __atomic_store_n(&spool->giving_ring, 0, __ATOMIC_RELEASE);
}

uint64_t rlt_spool_perhaps_written(const rlt_spool *spool) {
  return spool->giving_ring == RLT_SPOOL_NO_RING ? spool->giving_written - spool->written_events : 0;
}
