// Records the executable images that contain frames, as events of the calling thread: one `imageMap` for each.
#ifndef RLTRACE_STACK_IMAGES_H
#define RLTRACE_STACK_IMAGES_H

#include <stdint.h>

// Records the image around a code address. Queries the loader without its lock; if that is not possible, records
// nothing.
void rlt_note_image(uint64_t address);

// Begins a new recording, in which each image is recorded again.
void rlt_forget_images(void);

#endif
