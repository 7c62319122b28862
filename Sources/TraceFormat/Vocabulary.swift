// What is said of a trace is said in these words: who imports it reads them.
@_exported import RunLoopVocabulary
