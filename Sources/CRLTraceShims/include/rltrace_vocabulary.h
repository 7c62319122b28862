// Made by tools/generate from Sources/RunLoopVocabulary and the event table: not to be edited.
#ifndef RLTRACE_VOCABULARY_H
#define RLTRACE_VOCABULARY_H

// Codes of the events that C emits. A callout's end has its begin's plus one, a high stamp the low one's.
enum {
  RLT_KIND_ENTRY_LOW = 1,
  RLT_KIND_BEFORE_TIMERS_LOW = 3,
  RLT_KIND_BEFORE_SOURCES_LOW = 5,
  RLT_KIND_BEFORE_WAITING_LOW = 7,
  RLT_KIND_AFTER_WAITING_LOW = 9,
  RLT_KIND_EXIT_LOW = 11,
  RLT_KIND_RUN_BEGIN = 16,
  RLT_KIND_RUN_END = 17,
  RLT_KIND_TIMER_BEGIN = 20,
  RLT_KIND_SOURCE0_BEGIN = 22,
  RLT_KIND_SOURCE1_BEGIN = 24,
  RLT_KIND_BLOCK_BEGIN = 26,
  RLT_KIND_MAIN_QUEUE_DRAIN_BEGIN = 28,
  RLT_KIND_MAIN_QUEUE_BLOCK_BEGIN = 30,
  RLT_KIND_OBSERVER_BEGIN = 32,
  RLT_KIND_TIMER_CREATE = 40,
  RLT_KIND_TIMER_ADD = 41,
  RLT_KIND_TIMER_REMOVE = 42,
  RLT_KIND_TIMER_INVALIDATE = 43,
  RLT_KIND_TIMER_RESCHEDULE = 44,
  RLT_KIND_TIMER_DUE = 45,
  RLT_KIND_SOURCE_CREATE = 48,
  RLT_KIND_SOURCE_ADD = 49,
  RLT_KIND_SOURCE_REMOVE = 50,
  RLT_KIND_SOURCE_SIGNAL = 51,
  RLT_KIND_SOURCE_INVALIDATE = 52,
  RLT_KIND_BLOCK_CREATE = 53,
  RLT_KIND_OBSERVER_CREATE = 54,
  RLT_KIND_BLOCK_DISCARD = 55,
  RLT_KIND_LOOP_CREATE = 56,
  RLT_KIND_LOOP_ADD_COMMON_MODE = 57,
  RLT_KIND_LOOP_WAKE_UP = 58,
  RLT_KIND_LOOP_STOP = 59,
  RLT_KIND_LOOP_END = 60,
  RLT_KIND_LIFE_CYCLE = 67,
  RLT_KIND_IMAGE_MAP = 73,
  RLT_KIND_LOST_EVENTS = 79,
  RLT_KIND_THREAD_STATE = 81,
  RLT_KIND_THREAD_STACK = 82,
  RLT_KIND_THREAD_UNSAMPLED = 83,
  RLT_KIND_TOPOLOGY_BEGIN = 84,
  RLT_KIND_TOPOLOGY_MODE = 85,
  RLT_KIND_TOPOLOGY_ITEM = 86,
  RLT_KIND_TOPOLOGY_END = 87,
  RLT_KIND_NAME_CODE = 88,
};

// The low stamp of each activity, indexed by the activity's bit in CFRunLoopActivity; 0 where there is none.
#define RLT_LOW_KIND_OF_ACTIVITY_BIT \
  { RLT_KIND_ENTRY_LOW, \
    RLT_KIND_BEFORE_TIMERS_LOW, \
    RLT_KIND_BEFORE_SOURCES_LOW, \
    0, \
    0, \
    RLT_KIND_BEFORE_WAITING_LOW, \
    RLT_KIND_AFTER_WAITING_LOW, \
    RLT_KIND_EXIT_LOW }

// A bit for each kind of event that says something only among the other events of its thread.
#define RLT_KINDS_OF_ONE_THREAD { 0x2003fff31ffeu, 0xf00000u, 0x0u, 0x0u }

// Why a call stack was sampled.
enum { RLT_STACK_OF_STALLED = 1, RLT_STACK_OF_OWNER = 2, RLT_STACK_OF_LIMIT = 3, RLT_STACK_OF_SPINNING = 4, RLT_STACK_OF_NESTED_RUN = 5, RLT_STACK_OF_POLL = 6 };

// Why a call stack could not be sampled.
enum { RLT_UNSAMPLED_SIGNAL_TAKEN = 1, RLT_UNSAMPLED_SIGNAL_BLOCKED = 2 };

// Phases in the life of an app, those before the first mark included.
enum { RLT_PHASE_LAUNCHING = 1, RLT_PHASE_BACKGROUND = 4, RLT_PHASE_SUSPENDED = 5 };
enum { RLT_PHASES = 8 };

// Why the contents of a loop were recorded, and the kinds of items in a loop.
enum { RLT_SNAPSHOT_AT_START = 1, RLT_SNAPSHOT_AT_STALL = 2, RLT_SNAPSHOT_AT_REQUEST = 3 };
enum { RLT_ITEM_SOURCE0 = 0, RLT_ITEM_SOURCE1 = 1, RLT_ITEM_OBSERVER = 2, RLT_ITEM_TIMER = 3 };

// The kind of descriptor that a thread waits for.
enum {
  RLT_DESCRIPTOR_UNKNOWN = 0,
  RLT_DESCRIPTOR_FILE = 1,
  RLT_DESCRIPTOR_PIPE = 2,
  RLT_DESCRIPTOR_LOCAL_SOCKET = 3,
  RLT_DESCRIPTOR_NETWORK_SOCKET = 4,
  RLT_DESCRIPTOR_OTHER = 5,
};

// The longest interval of a timer, and the longest time limit of a run.
#define RLT_LONGEST_SECONDS 504911232.0

#endif
