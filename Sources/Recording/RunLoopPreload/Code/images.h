// The executable images of this process: the image of an address, and whether it belongs to the system.
#ifndef RLP_IMAGES_H
#define RLP_IMAGES_H

#include "preload.h"

enum { RLP_NOT_CODE = 0, RLP_PROGRAM_CODE = 1, RLP_SYSTEM_CODE = 2 };

// Keeps the path of the program, before it can change its root or limit its system calls.
void rlp_know_program(void);
// Forgets which images are in the spool's log.
void rlp_images_begin(void);
// Looks for newly loaded images. Returns whether there were any.
int rlp_look_for_images(void);
// Returns whether an address lies in an image, code or not.
int rlp_is_in_image(uintptr_t address);
// Writes the image of a code address to the log if it is not there yet.
void rlp_log_image_of(uintptr_t address);
// Returns whether one of the images that were found so far is Dispatch's library.
int rlp_has_dispatch(void);
// Returns what kind of code an address is.
int rlp_kind_of(uintptr_t address);

#endif
