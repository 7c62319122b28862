// Which executable images frames lie in, as events of the calling thread: `imageMap`, once for each.
#ifndef RLTRACE_STACK_IMAGES_H
#define RLTRACE_STACK_IMAGES_H

#include <stdint.h>

// The image around a code address. Asks the loader without its lock; where it cannot, nothing is noted.
void rlt_note_image(uint64_t address);

// A new recording begins: each image is noted once more.
void rlt_forget_images(void);

#endif
