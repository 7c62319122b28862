// What a program that embeds RunLoopTrace finds (with dlsym) when it runs preloaded: it hands its marks over.
#ifndef RLTRACE_PRELOAD_H
#define RLTRACE_PRELOAD_H

#include <stdint.h>

// Whether the preloaded library records this process.
int rltrace_preload_is_recording(void);
// The id of a string of the recording; 0 = none.
uint32_t rltrace_preload_string(const char *utf8);
// A fresh object id; 0 = none left.
uint32_t rltrace_preload_object(void);
// The object died; its id may serve another.
void rltrace_preload_release(uint32_t object);
// An event of the calling thread, in the mode of its innermost run.
void rltrace_preload_emit(uint8_t kind, uint32_t object, const uint64_t *arguments, uint8_t count);

#endif
