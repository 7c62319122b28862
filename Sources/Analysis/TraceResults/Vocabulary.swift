// Results use these types, so code that imports the results needs them.
@_exported import RunLoopVocabulary
