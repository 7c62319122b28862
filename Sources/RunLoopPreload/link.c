// The package manager links its runtime libraries into every dynamic library. The linker reads this section for
// further flags; with this one it drops those that nothing needs, which is all but libc.
__attribute__((used, section(".swift1_autolink_entries"))) static const char flags[] = "-Wl,--as-needed";
