// A program with the version of rltrace, for checks of the packaging that do not build rltrace.
#include <stdio.h>

int main(void) { return puts("rltrace 0.1.0 (a stand-in)") < 0; }
