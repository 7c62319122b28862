// Made by tools/generate from Sources/TraceReport/HTML/Data: not to be edited.
export interface PageThread {
  index: number;
  name: string;
  main: boolean;
}

export interface PageTimer {
  id: number;
  name: number;
  kind: string;
  interval?: number;
  common: boolean;
  modes: number[];
  thread?: number;
}

export interface PageLife {
  what: "phase" | "task";
  name: number;
  start: number;
  length: number;
  budget?: number;
}

export interface PageMark {
  name: number;
  time: number;
  thread: number;
}

export interface PageInterval {
  name: number;
  start: number;
  length: number;
  thread: number;
  open: boolean;
}

export interface PageGap {
  start: number;
  length: number;
  thread: number;
  after: string;
  callout?: number;
}

export interface PageHang {
  start: number;
  length: number;
  thread: number;
  by?: number;
  callout?: number;
}

export interface PageFinding {
  title: string;
  severity: string;
  isHang: boolean;
  timers: number[];
  threads: number[];
  spans: [number, number][];
}

export interface PageHistogram {
  thread: string;
  mode: number;
  what: string;
  low: string;
  width: string;
  count: string;
  p50: number;
  p99: number;
  max: number;
  total: number;
}

export interface PageUtilisation {
  thread: number;
  start: string;
  busy: string;
  waiting: string;
}

export interface PageStarvation {
  timers: number[];
}

export interface PageStackTree {
  name: string;
  image: string;
  own: string;
  function: string;
  file: string;
  line: string;
  inlined: string;
  parent: string;
  frame: string;
}

export interface PageLockOwner {
  name: number;
  deadlock: boolean;
  point?: number;
}

export interface PageStackSamples {
  start: string;
  length: string;
  node: string;
}

export interface PageStall {
  place: number;
  start: number;
  length: number;
  thread: number;
  after: string;
  samples: number;
  callout?: number;
  blamed?: number;
  blamedNs: number;
  cause?: string;
  rule?: string;
  remedy?: string;
  confidence: string;
  why: string[];
  facts: string[];
  point?: number;
  owner?: PageLockOwner;
  sampled: PageStackSamples;
}

export interface PageStalls {
  omitted: number;
  tree: PageStackTree;
  rows: PageStall[];
}

export interface PageBins {
  width: number;
  count: number;
  columns: {[name: string]: string};
}

export interface PageSpanMarks {
  start: string;
  length: string;
  shape: string;
}

export interface PageDetailOfPageSpanMarks {
  whole: boolean;
  spans: [number, number][];
  total: number;
  kept: number;
  marks: PageSpanMarks;
}

export interface PageThreadLane {
  index: number;
  modes: number[];
  sharesLastMode: boolean;
  bins: PageBins;
  detail: PageDetailOfPageSpanMarks;
}

export interface PageDueMarks {
  due: string;
  late: string;
  stretch: string;
  count: string;
  fate: string;
  mode: string;
}

export interface PageDetailOfPageDueMarks {
  whole: boolean;
  spans: [number, number][];
  total: number;
  kept: number;
  marks: PageDueMarks;
}

export interface PageTimerLane {
  id: number;
  bins: PageBins;
  detail: PageDetailOfPageDueMarks;
}

export interface PageTimeline {
  names: string[];
  threads: PageThreadLane[];
  timers: PageTimerLane[];
  threadsLeftOut: number;
  timersLeftOut: number;
  shapes: number[][];
  kinds: {[name: string]: string};
  modes: string[];
}

export interface PageData {
  unitNs: number;
  fromNs: string;
  spanNs: string;
  threads: PageThread[];
  timers: PageTimer[];
  life: PageLife[];
  marks: PageMark[];
  intervals: PageInterval[];
  gaps: PageGap[];
  hangs: PageHang[];
  suspensions: [number, number][];
  findings: PageFinding[];
  histograms: PageHistogram[];
  utilisation: PageUtilisation[];
  starvation: PageStarvation[];
  stalls?: PageStalls;
  timeline: PageTimeline;
}

export type ThreadColumn = "passes" | "callouts" | "calloutCount" | "worst" | `phase${number}` | `mode${number}`;
export type TimerColumn = "fired" | "skipped" | "withdrawn" | "pending" | "worst" | `late${number}` | `cause${number}`;
