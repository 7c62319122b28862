// Waits with a time limit, which no signal of the recorder may end.
#ifndef TIMED_WAITS_H
#define TIMED_WAITS_H

// Runs a loop whose callbacks wait for `ms` in different ways, and prints the waits that end early. `is_interrupted`:
// another thread sends the recorder's signal meanwhile.
void wait_in_callbacks(int ms, int is_interrupted);
// Lets the system hide what the threads of this process wait for, as servers do that change their user.
void hide_threads(void);

#endif
