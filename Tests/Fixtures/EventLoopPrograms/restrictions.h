// Loops of programs that restrict themselves, or rely on something that the recorder must not change. Some callbacks
// compute for longer than a stall, so that the recorder samples them.
#ifndef RESTRICTIONS_H
#define RESTRICTIONS_H

// Blocks all signals and reads them through a signalfd, as servers do. Prints each signal.
void block_signals(void);
// Forbids most system calls, which then end the process: inside the loop, or before the recorder knows of it. `of_all`:
// for all threads, by the call seccomp(2).
void filter_calls(int of_all, int in_loop);
// Has a stack for signals that is too small for some processors' registers.
void use_small_signal_stack(void);
// Makes descriptors again and again, and prints the first one that does not have the lowest free number.
void number_descriptors(void);

#endif
