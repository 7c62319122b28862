// Re-exported, because this vocabulary is part of the module's interface.
@_exported import RunLoopVocabulary
