// The package manager links its runtime libraries into every dynamic library. The linker reads further flags from
// this section. With this flag it drops the libraries that are not needed, which is all but libc.
__attribute__((used, section(".swift1_autolink_entries"))) static const char flags[] = "-Wl,--as-needed";
