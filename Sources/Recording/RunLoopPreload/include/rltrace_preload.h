// The functions that a program finds with dlsym if it runs preloaded. A program that embeds RunLoopTrace passes its marks
// to those that begin with rltrace_preload. The others are for any program (docs/reference/recording.md).
#ifndef RLTRACE_PRELOAD_H
#define RLTRACE_PRELOAD_H

#include <stdint.h>

// Returns whether the preloaded library records this process.
int rltrace_preload_is_recording(void);
// Returns the id of a string of the recording; 0 = none.
uint32_t rltrace_preload_string(const char *utf8);
// Returns a new object id; 0 = none left.
uint32_t rltrace_preload_object(void);
// Releases the id of an object that died. The id may serve another object.
void rltrace_preload_release(uint32_t object);
// Emits an event of the calling thread, in the mode of its innermost run.
void rltrace_preload_emit(uint8_t kind, uint32_t object, const uint64_t *arguments, uint8_t count);

// Records that a named state of the program has a value from now on, until the next call with this name, on any thread.
// Both texts are UTF-8. A NULL or empty value ends the state.
void rltrace_state(const char *name, const char *value);

// Records that a repeating CFRunLoopTimer is a frame source: its due points are the beginnings of frames. Does nothing
// for a timer that the recording does not know.
void rltrace_frames(void *timer);

#endif
