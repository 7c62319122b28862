#include "names.h"

#include "images.h"
#include "recording.h"
#include "symbols.h"

enum { KNOWN = 1 << 14, OVERFLOW_MODE = 255, MODE_BYTES = 256, USED_MAX = 1024 };

// Ids by a hash of type and bytes: what two hash to alike gets one name, at 2^-64 a pair.
static struct {
  uint64_t hash;
  uint32_t id;
} known[KNOWN];
static uint32_t known_count;

static struct {
  uint64_t hash;
  uint32_t times;
} used[USED_MAX];
static uint32_t used_count;

static char mode_names[OVERFLOW_MODE + 1][MODE_BYTES];
static uint32_t mode_count;

static uint64_t hash_of(uint16_t type, const void *bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325u ^ type;  // FNV-1a, over 64 bits at the end
  const unsigned char *at = bytes;
  for (size_t i = 0; i < count; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
  hash ^= hash >> 32;
  return hash == 0 ? 1 : hash;
}

static uint32_t once(uint16_t type, const void *bytes, size_t count) {
  uint64_t hash = hash_of(type, bytes, count);
  rlp_lock();
  uint32_t at = (uint32_t)hash % KNOWN;
  while (known[at].hash != 0 && known[at].hash != hash) at = (at + 1) % KNOWN;
  uint32_t id = known[at].id;
  // A full table writes a name again; the log's end is the limit.
  int is_new = known[at].hash == 0;
  if (is_new) {
    id = rlt_spool_append_string(rlt_current.spool, type, bytes, count);
    if (known_count < KNOWN * 3 / 4) {
      known[at].hash = hash;
      known[at].id = id;
      known_count += 1;
    }
  }
  rlp_unlock();
  return id;
}

static void append_mode(rlt_spool *spool, uint32_t id) {
  rlt_spool_append(spool, RLT_NAME_MODE, 0, id, mode_names[id], strlen(mode_names[id]), NULL, 0);
}

void rlp_names_begin(rlt_spool *spool) {
  // Fresh memory is zero, and not worth touching.
  if (known_count > 0) memset(known, 0, sizeof known);
  known_count = 0;
  used_count = 0;
  memset(used, 0, sizeof used);
  rlp_images_begin();
  // Observers that were attached before a fork carry their mode's id.
  for (uint32_t id = 1; id <= mode_count; id++) append_mode(spool, id);
}

uint32_t rlp_string(const char *text) {
  return text == NULL || *text == 0 ? 0 : once(RLT_NAME_STRING, text, strlen(text));
}

uint32_t rlp_times_used(const char *name) {
  uint64_t hash = hash_of(RLT_NAME_STRING, name, strlen(name));
  rlp_lock();
  uint32_t at = 0;
  while (at < used_count && used[at].hash != hash) at++;
  if (at == used_count && used_count < USED_MAX) used[used_count++].hash = hash;
  uint32_t times = at < used_count ? ++used[at].times : 1;
  rlp_unlock();
  return times;
}

uint32_t rlp_addresses(const uintptr_t *addresses, size_t count) {
  if (count == 0) return 0;
  for (size_t i = 0; i < count; i++) rlp_image_of(addresses[i]);
  return once(RLT_NAME_SITE, addresses, count * sizeof *addresses);
}

uint32_t rlp_code(const uintptr_t *words, size_t count) {
  for (size_t i = 2; i < count; i++) rlp_image_of(words[i]);
  return once(RLT_NAME_CODE, words, count * sizeof *words);
}

uint8_t rlp_mode(void *mode) {
  enum { UTF8 = 0x08000100 };
  char name[MODE_BYTES];
  rlp_boolean (*copy)(rlp_object_ref, char *, rlp_index, uint32_t) =
      RLP_REAL(rlp_boolean (*)(rlp_object_ref, char *, rlp_index, uint32_t), CFStringGetCString);
  if (mode == NULL || copy == NULL) return 0;
  if (!copy(mode, name, sizeof name, UTF8)) snprintf(name, sizeof name, "(a mode of a long name)");
  rlp_lock();
  uint32_t id = 1;
  while (id <= mode_count && id < OVERFLOW_MODE && strcmp(mode_names[id], name) != 0) id++;
  if (id > mode_count) {
    if (id == OVERFLOW_MODE) snprintf(name, sizeof name, "(other modes)");
    memcpy(mode_names[id], name, sizeof name);
    mode_count = id;
    append_mode(rlt_current.spool, id);
  }
  rlp_unlock();
  return (uint8_t)id;
}

void rlp_info(const char *key, const char *value) {
  rlt_spool_append(rlt_current.spool, RLT_NAME_INFO, 0, 0, key, strlen(key) + 1, value, strlen(value));
}
