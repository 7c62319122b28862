import TraceAnalysis

/// Tables of queues other than the main queue, and of their work.
package enum WorkTables {
  package static let queues = ResultTable<WorkQueueResult>(
    "work_queues",
    "queues, pools and actors other than the main queue, one row per name and kind, most run time first",
    needs: .callouts("queues")
  ) {
    Column("name", "label of the queue, or type of the actor or executor") { $0.name }.named("queue", at: 1)
    Column("kind", "serial, concurrent, global, cooperative_pool, actor or executor; null = not known") {
      $0.kind?.name
    }
    .headed("kind", at: 2)
    Column("queues", "queues of the name; 0 = the recording does not introduce the queue") { $0.queues }
      .headed("queues", at: 3, in: .page)
    Column("width", "threads that a queue may use; 0 = not known") { $0.width }
    Column("threads", "threads that ran its work") { $0.threads }.headed("threads", at: 4)
    Column(.queued, "how often work was queued") { $0.queued }.compared(.number).headed("queued", at: 5)
    Column("begun", "slices of work that began") { $0.begun }.headed("begun", at: 6, in: .page)
    Column("ended", "slices of work that ended") { $0.ended }
    Column("discarded", "pieces of work that were discarded before they ran") { $0.discarded }
    Column("waiting", "pieces of work that waited at the end") { $0.waiting }.headed(
      "waiting", at: 7, in: .page)
    Column("running", "slices that were running at the end") { $0.running }
    Column(.depth, "most pieces of work that waited in one queue at once, without delayed work") { $0.depth }
      .compared(.peak).metric().headed(
        "depth", "The most pieces of work that waited in one queue at once.", at: 8)
    Column("depth_at_ns", "when so many waited") { $0.depthNs }
    Column("at_once", "most slices that ran on one queue at once; those of actors count for the pool") {
      $0.atOnce
    }
    .headed("at once", "The most slices that ran on one queue at once.", at: 9)
    Column.distribution("wait_ns", "time from the queuing of work to its start") { $0.waitNs }
    Column(
      Heading("wait p99", "The time from the queuing of work to its start, for 99 of 100 slices.", at: 10)
    ) {
      $0.waitNs.count > 0 ? $0.waitNs.p99 : nil
    }.shown(as: .time)
    Column(Heading("longest wait", at: 11)) { $0.waitNs.count > 0 ? $0.waitNs.max : nil }.shown(as: .time)
    Column("longest_wait_start_ns", "start of the longest wait; null = nothing waited") {
      $0.waitNs.count > 0 ? $0.longestWaitStartNs : nil
    }
    Column.distribution("run_ns", "time of the slices") { $0.runNs }
    Column(Heading("run time", "The time of all slices.", at: 13)) { $0.runNs.sum }.shown(as: .time)
    Column("longest_run", "name of the work with the longest slice") { $0.longestRun }.shown(as: .name)
      .headed("longest slice", "The work with the longest slice.", at: 14, in: .page)
    Column("longest_run_start_ns", "start of that slice; null = no slice ended") {
      $0.runNs.count > 0 ? $0.longestRunStartNs : nil
    }
    Column.distribution("call_ns", "time that threads waited for their turn, as in dispatch_sync") {
      $0.callNs
    }
    Column(
      Heading(
        "call wait", "The longest wait of a thread for its turn, as in dispatch_sync.", at: 12,
        isOptional: true)
    ) {
      $0.callsSoFarNs.count > 0 ? $0.callsSoFarNs.max : nil
    }.shown(as: .time)
    judged
  }

  @ColumnBuilder<WorkQueueResult> private static var judged: [AnyColumn] {
    Column.distribution(.wait, "", in: .comparison) { $0.waitsSoFarNs }
      .compared(.wait).metric()
    Column.distribution(.run, "", in: .comparison) { $0.runsSoFarNs }
      .compared(.work).metric()
    Column.distribution(.call, "", in: .comparison) { $0.callsSoFarNs }
      .compared(.wait).metric()
  }

  package static let tasks = ResultTable<WorkTaskResult>(
    "tasks", "Swift tasks that had not ended, one row per task, the longest stay in a state first",
    needs: .callouts("tasks")
  ) {
    Column("name", "") { $0.name }.named("task", at: 1)
    Column("site", "place that created the task; empty = not known") { $0.site }.shown(as: .name)
      .headed("made by", at: 2)
    Column("parent", "name of the work that created it; empty = none, or not known") { $0.parent }
      .shown(as: .name).headed("parent", at: 3, in: .page)
    Column("created_ns", "when the task was created") { $0.createdNs }
    Column("slices", "slices of the task that began") { $0.slices }.headed("slices", at: 4)
    Column("ran_ns", "time of its slices that ended") { $0.ranNs }.headed("ran", at: 5)
    Column("waited_ns", "time that it waited in queues before its slices") { $0.waitedNs }
      .headed("waited", "Time that it waited in queues before its slices.", at: 6)
    Column("state", "running, queued or suspended") { $0.state.name }.headed("state", at: 7)
    Column("since_ns", "when it entered the state") { $0.sinceNs }.moment { $0.stayedNs }
      .headed("since", "When it entered the state.", at: 8)
    Column("stayed_ns", "how long it has been in the state, without suspension of the process") {
      $0.stayedNs
    }
    .headed("for", at: 9)
    Column(
      "queue",
      "queue or actor in which it waits, or on which it ran last; empty = not known, or the main queue"
    ) {
      $0.queue
    }
    .shown(as: .name).headed("queue", at: 10, in: .page)
  }
}
