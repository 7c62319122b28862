import ArgumentParser

@main
struct RLTraceBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rltrace-bench",
    abstract: "Measures the recorder, the encoder and the probe for tools/bench.",
    discussion: """
      Each subcommand prints one JSON object. Costs are CPU time of one thread, in nanoseconds. \
      tools/bench runs them pinned, next to the limits and peers that they are compared with.

      Exit status: 0 measured; 64 wrong usage; 65 bad rows; 66 no such file; 73, 74 the output cannot be written; \
      70 a recording failed.
      """,
    subcommands: [
      Encode.self, RecordEvents.self, ManyProducers.self, ProbePasses.self, PlainPasses.self,
      SaturatedLoop.self,
      FirstUse.self, BusyCallouts.self,
    ])
}
