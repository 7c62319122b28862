// Made by tools/generate from Sources/RunLoopVocabulary: not to be edited.
const defaultMode = "kCFRunLoopDefaultMode";
const isTracking = (mode) => mode.includes("Tracking");

// By their numbers in the data.
const phaseNames = ["(outside any run)", "Entry", "BeforeTimers", "BeforeSources", "BeforeWaiting", "waiting", "AfterWaiting", "Exit"];
const waiting = 5;
const causeNames = ["suspended", "unknown", "not running", "own callout", "wrong mode", "busy", "tolerance", "scheduler"];
const ownCallout = 3, wrongMode = 4, busyCause = 5;
const outcomeNames = ["fired", "skipped", "withdrawn", "pending"];
const outcomes = [...outcomeNames, "fired, due point not known"];
/** Of a shape: from this number on it is a callout of the kind behind it. */
const firstCallout = 100;
