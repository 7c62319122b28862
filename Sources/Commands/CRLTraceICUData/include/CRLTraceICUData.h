// Declares nothing: data.c replaces a symbol of Foundation's ICU.
