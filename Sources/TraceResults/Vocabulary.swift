// Results are told in these words: who imports them reads them.
@_exported import RunLoopVocabulary
