#include "names.h"

#include "images.h"
#include "session.h"
#include "symbols.h"

enum { USED_MAX = 1024, MODE_BYTES = 256 };

// How often strings were used, see rlp_times_used.
static struct {
  uint32_t string;
  uint32_t times;
} used[USED_MAX];
static uint32_t used_count;

void rlp_names_begin(rlt_spool *spool) {
  rlt_ids_begin(rlp_ids, spool);
  memset(used, 0, sizeof used);
  used_count = 0;
  rlp_images_begin();
}

uint32_t rlp_string(const char *text) {
  return text == NULL || *text == 0 ? 0 : rlt_string_id(rlp_ids, RLT_NAME_STRING, text, strlen(text));
}

uint32_t rlp_times_used(uint32_t string) {
  rlp_lock();
  uint32_t at = 0;
  while (at < used_count && used[at].string != string) at++;
  if (at == used_count && used_count < USED_MAX) used[used_count++].string = string;
  uint32_t times = at < used_count ? ++used[at].times : 1;
  rlp_unlock();
  return times;
}

uint32_t rlp_addresses(const uintptr_t *addresses, size_t count) {
  if (count == 0) return 0;
  for (size_t i = 0; i < count; i++) rlp_log_image_of(addresses[i]);
  return rlt_string_id(rlp_ids, RLT_NAME_SITE, addresses, count * sizeof *addresses);
}

uint32_t rlp_code(const uintptr_t *words, size_t count) {
  for (size_t i = 2; i < count; i++) rlp_log_image_of(words[i]);
  return rlt_string_id(rlp_ids, RLT_NAME_CODE, words, count * sizeof *words);
}

void rlp_log_runner(uint8_t mode, uint16_t flags, uintptr_t *words, size_t count) {
  words[0] = (uintptr_t)rlt_os_thread_id();
  for (size_t i = 1; i < count; i++) rlp_log_image_of(words[i]);
  rlt_spool_append(rlt_current_spool(), RLT_NAME_RUNNER, flags, mode, words, count * sizeof *words, NULL, 0);
}

uint8_t rlp_mode(void *mode) {
  enum { UTF8 = 0x08000100 };
  char name[MODE_BYTES];
  __auto_type copy = RLP_REAL(rlp_boolean (*)(rlp_object_ref, char *, rlp_index, uint32_t), CFStringGetCString);
  if (mode == NULL || copy == NULL) return 0;
  return rlt_mode_id(rlp_ids, copy(mode, name, sizeof name, UTF8) ? name : "(a mode with a long name)");
}

void rlp_info(const char *key, const char *value) {
  rlt_spool_append(rlt_current_spool(), RLT_NAME_INFO, 0, 0, key, strlen(key) + 1, value, strlen(value));
}
