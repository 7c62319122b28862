// The ids of objects, strings and modes in a recording. Strings and modes are written to the spool's log of names,
// each once.
//
// Thread-safe. For slow paths, such as creating, attaching and registering.
#ifndef RLTRACE_IDS_H
#define RLTRACE_IDS_H

#include "rltrace_spool.h"

typedef struct rlt_ids rlt_ids;

// Returns NULL if there is no memory.
rlt_ids *rlt_ids_make(void);
void rlt_ids_free(rlt_ids *ids);

// Begins a recording into this spool. Strings are forgotten. Objects and modes keep their ids, and modes are written
// again, because a child of fork has its parent's observers.
void rlt_ids_begin(rlt_ids *ids, rlt_spool *spool);
// Makes a new lock in a child of fork, where no thread is left that would unlock the old one.
void rlt_ids_renew_lock(rlt_ids *ids);

// Returns a new object id with a generation, as in TraceFormat's ObjectID. 0 = none left; the object stays anonymous.
uint32_t rlt_object_make(rlt_ids *ids);
// Releases the id of an object that died. The slot may serve another object with another generation.
void rlt_object_release(rlt_ids *ids, uint32_t object);

// Make and release several ids at a time. The first function returns how many it made.
size_t rlt_objects_make(rlt_ids *ids, uint32_t *objects, size_t count);
void rlt_objects_release(rlt_ids *ids, const uint32_t *objects, size_t count);
// Turns the id of an object that died into the id of a new object, which only the caller may use. Takes no lock.
// Returns 0 if no live object has the id.
uint32_t rlt_object_renew(rlt_ids *ids, uint32_t object);

// Returns the string id of an entry of the log (RLT_NAME_STRING, _CODE, _SITE); equal entries have the same id. 0 =
// the log is full.
uint32_t rlt_string_id(rlt_ids *ids, uint16_t type, const void *bytes, size_t count);

// Returns the id of a mode. All modes beyond the table share one id.
uint8_t rlt_mode_id(rlt_ids *ids, const char *name);

#endif
