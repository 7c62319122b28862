// Traces are described with this vocabulary, so importers of this module need it.
@_exported import RunLoopVocabulary
