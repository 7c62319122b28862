// @ts-check
// Made by tools/generate from Sources/RunLoopVocabulary: not to be edited.
export const defaultMode = "kCFRunLoopDefaultMode";
export const isTracking = (/** @type {string} */ mode) => mode.includes("Tracking");

// Indexed by their numbers in the data.
export const phaseNames = ["(outside any run)", "Entry", "BeforeTimers", "BeforeSources", "BeforeWaiting", "waiting", "AfterWaiting", "Exit"];
export const waiting = 5;
export const causeNames = ["suspended", "unknown", "not running", "own callout", "wrong mode", "busy", "tolerance", "scheduler"];
export const ownCallout = 3;
export const wrongMode = 4;
export const busyCause = 5;
/** @type {("fired" | "skipped" | "withdrawn" | "pending")[]} */
export const outcomeNames = ["fired", "skipped", "withdrawn", "pending"];
export const outcomes = [...outcomeNames, "fired, due point not known"];
/** A shape with at least this number is a callout. Its kind is the difference. */
export const firstCallout = 100;
