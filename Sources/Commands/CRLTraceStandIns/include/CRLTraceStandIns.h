// Declares nothing: the sources define symbols that libraries would define or need.
