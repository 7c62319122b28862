int print_stack(void);
volatile int files;

static inline __attribute__((always_inline)) void open_all(void) {
  files += print_stack(); // HERE open_all
}

__attribute__((noinline)) void read_files(void) {
  open_all(); // HERE read_files
  files += 1;
}

int main(void) {
  read_files(); // HERE main
  return files != 1;
}
