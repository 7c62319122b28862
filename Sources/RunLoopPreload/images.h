// The executable images of this process: which holds an address, and which are the system's own.
#ifndef RLP_IMAGES_H
#define RLP_IMAGES_H

#include "preload.h"

enum { RLP_NOT_CODE = 0, RLP_PROGRAM_CODE = 1, RLP_SYSTEM_CODE = 2 };

// Forgets which images are in the spool's log.
void rlp_images_begin(void);
// Looks for images that were loaded meanwhile; whether there were some.
int rlp_look_for_images(void);
// Whether an address lies in an image, code or not.
int rlp_is_in_image(uintptr_t address);
// Writes the image of an address of code to the log when it is not there yet.
void rlp_log_image_of(uintptr_t address);
// What kind of code an address is.
int rlp_kind_of(uintptr_t address);

#endif
