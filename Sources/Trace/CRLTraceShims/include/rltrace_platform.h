// Services that each system provides through a different interface: platform_linux.c, platform_apple.c.
#ifndef RLTRACE_PLATFORM_H
#define RLTRACE_PLATFORM_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Threads

uint64_t rlt_os_thread_id(void);
int rlt_is_main_thread(void);
// Writes the thread's name; empty if it has none.
void rlt_copy_thread_name(char *buffer, size_t size);
void rlt_name_thread(const char *name);
// Reads the total time that the calling thread was ready to run but had to wait for a processor. Returns 0 if that
// cannot be read.
int rlt_thread_waited_ns(uint64_t *waited_ns);

// MARK: Processors

// Returns the number of processors that this process may run on, at least 1.
int rlt_usable_processors(void);

// Returns the processor that the calling thread runs on; -1 = not known.
int rlt_current_processor(void);

// Moves the calling thread to another processor if it runs on this one and may run on others. The system may move it
// back at any time.
void rlt_leave_processor(int processor);

// MARK: Processes

// Writes an id of the system's current boot; zeros = not known.
void rlt_read_boot_id(uint8_t id[16]);

// Returns when a process began, in ticks since the system started. Together with the id this identifies a process. 0
// = not known.
uint64_t rlt_process_start(uint32_t process);

// Returns the namespace of this process's id; 0 = not known.
uint64_t rlt_pid_namespace(void);

// Opens a descriptor that identifies a process even if its id is reused. -1 = the process is gone, -2 = the system
// has no such descriptors.
int rlt_process_open(int32_t process);
// Returns whether the process behind such a descriptor has ended, even if its parent has not waited for it.
int rlt_process_has_ended(int descriptor);

// Finds out how a process that is not a child of this one ended, in the form of wait(2). `descriptor` is as above, or
// negative; `began` as for rlt_process_start, 0 = not known. Returns 0 if the system does not report the status.
int rlt_process_end_status(int descriptor, int32_t process, uint64_t began, int *status);

// Delivers a signal that was sent to this process once more, to the calling thread.
void rlt_send_signal_again(int number, siginfo_t *info);

// MARK: Memory and files

// Keeps the heap small if the address space is limited: threads share one heap, which reserves no space ahead. Call it
// before other threads start.
void rlt_spare_address_space(void);

// Returns how many bytes the limit of the address space leaves to this process; `own` bytes of it, which are in use,
// count as free. UINT64_MAX = there is no limit.
uint64_t rlt_free_address_space(uint64_t own);

// Copies memory that may not exist, through the kernel. Returns 0 if it cannot be read.
int rlt_read_memory(uint64_t address, void *bytes, size_t count);

#if defined(__linux__)
// Whether the program filters its system calls. It may be killed for one that only the recorder makes.
extern int rlt_calls_are_filtered;
#endif

// Backs shared memory so that storing there cannot fail. Returns 0 if there is no memory because the disk is full.
// Keeps errno.
int rlt_back_memory(void *address, size_t bytes);

// Advises the system to read only those pages of a mapped file that are used. Keeps errno.
void rlt_read_only_used_pages(void *address, size_t bytes);

// Makes the file system store changed data of an empty file in place, if it does not and can. Keeps errno.
void rlt_store_in_place(int descriptor);

// Allocates the first bytes of a file if the system can. Returns 0 and sets errno on failure.
int rlt_allocate_file(int descriptor, uint64_t bytes);

#endif
