// The ids of a recording: of objects, strings and modes. Strings and modes are written to the spool's log of names, each
// once.
//
// Thread-safe. For slow paths: what is made, attached, registered.
#ifndef RLTRACE_IDS_H
#define RLTRACE_IDS_H

#include "rltrace_spool.h"

typedef struct rlt_ids rlt_ids;

// NULL when there is no memory.
rlt_ids *rlt_ids_make(void);
void rlt_ids_free(rlt_ids *ids);

// A recording into this spool begins: strings are forgotten. Objects and modes keep their ids, and modes are written again:
// a child of fork has its parent's observers.
void rlt_ids_begin(rlt_ids *ids, rlt_spool *spool);
// In a child of fork, where nobody is left who would unlock them.
void rlt_ids_renew_lock(rlt_ids *ids);

// A fresh object id, generational as TraceFormat's ObjectID has them; 0 = none left, the object stays anonymous.
uint32_t rlt_object_make(rlt_ids *ids);
// The object died: its slot may serve another, of another generation.
void rlt_object_release(rlt_ids *ids, uint32_t object);

// The string id of an entry of the log (RLT_NAME_STRING, _CODE, _SITE), the same for equal ones. 0 when the log is full.
uint32_t rlt_string_id(rlt_ids *ids, uint16_t type, const void *bytes, size_t count);

// The id of a mode, the same for all modes beyond the table.
uint8_t rlt_mode_id(rlt_ids *ids, const char *name);

#endif
