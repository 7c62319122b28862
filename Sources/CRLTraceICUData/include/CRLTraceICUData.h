// Declares nothing: data.c stands in for a symbol of Foundation's ICU.
