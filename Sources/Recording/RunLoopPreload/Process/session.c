#include "session.h"

int rlp_recording_state;
uint32_t rlp_session_number;
rlt_ids *rlp_ids;

static pid_t process;

void rlp_know_process(void) { process = getpid(); }

int rlp_is_own_process(void) {
  return __atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED) || getpid() == process;
}

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

void rlp_lock(void) { pthread_mutex_lock(&table_lock); }
void rlp_unlock(void) { pthread_mutex_unlock(&table_lock); }
void rlp_renew_lock(void) { pthread_mutex_init(&table_lock, NULL); }
