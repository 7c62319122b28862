#include "descriptors.h"

#include "settings.h"

#include <netinet/in.h>
#include <sys/un.h>

rlp_descriptor *rlp_descriptors;
static int highest = -1;

int rlp_highest_descriptor(void) { return __atomic_load_n(&highest, __ATOMIC_RELAXED); }

// Memory of a descriptor that was never used is zero, so zero means unknown.
static void reset(rlp_descriptor *entry, uint8_t kind, int reader) {
  *entry = (rlp_descriptor){.kind = kind, .reader = reader, .other = -1, .listener = -1, .set = -1, .next = -1};
}

rlp_descriptor *rlp_make_descriptor(int descriptor) {
  if (!rlp_records_event_loops() || rlp_recording_state == RLP_UNWANTED || rlp_recording_state == RLP_OVER) return NULL;
  if (__atomic_load_n(&rlp_descriptors, __ATOMIC_ACQUIRE) == NULL) {
    int kept_errno = errno;
    size_t bytes = RLP_DESCRIPTORS_MAX * sizeof *rlp_descriptors;
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    rlp_descriptor *nothing = NULL;
    // Another thread may have been faster.
    if (made != MAP_FAILED
        && !__atomic_compare_exchange_n(&rlp_descriptors, &nothing, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      munmap(made, bytes);
    errno = kept_errno;
  }
  rlp_descriptor *entry = rlp_descriptor_of(descriptor);
  if (entry == NULL || entry->kind != RLP_UNKNOWN_DESCRIPTOR) return entry;
  reset(entry, RLP_PLAIN, -1);
  int known = rlp_highest_descriptor();
  while (known < descriptor
         && !__atomic_compare_exchange_n(&highest, &known, descriptor, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
  return entry;
}

rlp_descriptor *rlp_note_descriptor(int descriptor, uint8_t kind, int reader) {
  rlp_descriptor *entry = descriptor < 0 ? NULL : rlp_make_descriptor(descriptor);
  if (entry != NULL) reset(entry, kind, reader);
  return entry;
}

int rlp_has_members(int set) {
  for (int descriptor = 0, last = rlp_highest_descriptor(); descriptor <= last; descriptor++) {
    const rlp_descriptor *entry = rlp_descriptor_of(descriptor);
    if (entry != NULL && entry->kind != RLP_UNKNOWN_DESCRIPTOR && entry->set == set) return 1;
  }
  return 0;
}

static uint32_t lists_closed;

uint32_t rlp_lists_closed(void) { return __atomic_load_n(&lists_closed, __ATOMIC_RELAXED); }

void rlp_forget_descriptor(int descriptor) {
  rlp_descriptor *entry = rlp_descriptor_of(descriptor);
  if (entry == NULL) return;
  if (entry->kind != RLP_UNKNOWN_DESCRIPTOR && entry->set < -1) __atomic_fetch_add(&lists_closed, 1, __ATOMIC_RELAXED);
  memset(entry, 0, sizeof *entry);
}

// MARK: Names

// The ports that the program listens on.
static uint8_t listens[1 << 16];

static int port_of(const struct sockaddr_storage *address) {
  if (address->ss_family == AF_INET) return ntohs(((const struct sockaddr_in *)address)->sin_port);
  if (address->ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
  return -1;
}

static int has_option(int descriptor, int option, int value) {
  int found = 0;
  socklen_t length = sizeof found;
  return getsockopt(descriptor, SOL_SOCKET, option, &found, &length) == 0 && found == value;
}

// Writes ":PORT" or the path of a local socket; "" = it has no name.
static void write_address(const struct sockaddr_storage *address, socklen_t length, char *text, size_t size) {
  const struct sockaddr_un *local = (const struct sockaddr_un *)address;
  int port = port_of(address);
  size_t start = offsetof(struct sockaddr_un, sun_path);
  *text = 0;
  if (port > 0) snprintf(text, size, ":%d", port);
  // An abstract name begins with a zero byte.
  else if (address->ss_family == AF_UNIX && length > start + 1 && local->sun_path[0] == 0)
    snprintf(text, size, "@%.*s", (int)(length - start - 1), local->sun_path + 1);
  else if (address->ss_family == AF_UNIX && length > start)
    snprintf(text, size, "%.*s", (int)(length - start), local->sun_path);
}

static int read_own_address(int descriptor, struct sockaddr_storage *address, char *text, size_t size) {
  socklen_t length = sizeof *address;
  memset(address, 0, sizeof *address);
  if (getsockname(descriptor, (struct sockaddr *)address, &length) != 0) return 0;
  write_address(address, length, text, size);
  return 1;
}

static void describe_socket(int descriptor, const rlp_descriptor *entry, char *name, size_t size) {
  struct sockaddr_storage address;
  char own[sizeof ((struct sockaddr_un *)0)->sun_path + 2], peer[sizeof own];
  // A listener that was closed, and whose number serves something else, has another name.
  if (entry->listener >= 0 && has_option(entry->listener, SO_ACCEPTCONN, 1)
      && read_own_address(entry->listener, &address, own, sizeof own) && own[0] != 0) {
    snprintf(name, size, "connections of %s", own);
    return;
  }
  if (!read_own_address(descriptor, &address, own, sizeof own)) {
    snprintf(name, size, "file or pipe");
    return;
  }
  int port = port_of(&address);
  if (has_option(descriptor, SO_ACCEPTCONN, 1)) {
    if (port > 0) listens[port] = 1;
    snprintf(name, size, own[0] == 0 ? "accept" : "accept on %s", own);
  } else if (port > 0 && has_option(descriptor, SO_TYPE, SOCK_DGRAM)) {
    snprintf(name, size, "datagrams on %s", own);
  } else if (port > 0 && listens[port]) {
    snprintf(name, size, "connections of %s", own);
  } else {
    socklen_t length = sizeof address;
    peer[0] = 0;
    if (getpeername(descriptor, (struct sockaddr *)&address, &length) == 0)
      write_address(&address, length, peer, sizeof peer);
    if (peer[0] != 0) snprintf(name, size, "connections to %s", peer);
    else if (own[0] != 0) snprintf(name, size, "connections of %s", own);
    else snprintf(name, size, port >= 0 ? "sockets" : "local sockets");
  }
}

void rlp_describe(int descriptor, const rlp_descriptor *entry, char *name, size_t size) {
  int kept_errno = errno;
  if (rlp_is_wakeup(entry)) snprintf(name, size, "wake-up");
  else if (entry->kind == RLP_TIMER) snprintf(name, size, "timerfd %d", descriptor);
  else if (entry->kind == RLP_PIPE) snprintf(name, size, "pipe");
  else if (__atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED)) snprintf(name, size, "descriptor");
  else describe_socket(descriptor, entry, name, size);
  errno = kept_errno;
}
