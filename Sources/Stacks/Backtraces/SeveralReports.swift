/// Reports of one kind that follow each other in a text.
enum SeveralReports {
  /// Reads each report separately. If at least one can be read, those that cannot are only noted.
  static func read<Report>(
    _ reports: [Report], _ read: (Report) throws(BacktraceError) -> Backtrace
  ) throws(BacktraceError) -> Backtrace {
    if reports.count == 1 { return try read(reports[0]) }
    var found: [Backtrace] = []
    var unread: [String] = []
    var failure: BacktraceError?
    for (number, report) in reports.enumerated() {
      let name = "report \(number + 1)"
      do throws(BacktraceError) { found.append(try read(report).named(name)) } catch {
        failure = failure ?? error
        unread.append("\(name) was not read: \(error)")
      }
    }
    if found.isEmpty, let failure { throw failure }
    return try joined(found, unread)
  }

  private static func joined(_ reports: [Backtrace], _ notes: [String]) throws(BacktraceError) -> Backtrace {
    var threads: [BacktraceThread] = []
    var places: [Range<Int>] = []
    for report in reports {
      places.append(threads.count..<threads.count + report.threads.count)
      threads += report.threads
    }
    guard threads.count <= BacktraceLimits.threads else {
      throw BacktraceError(
        threads[BacktraceLimits.threads].line, "more than \(BacktraceLimits.threads) threads")
    }
    func same(_ name: (Backtrace) -> String?) -> String? {
      Set(reports.map(name)).count == 1 ? name(reports[0]) : nil
    }
    return Backtrace(
      kind: reports[0].kind, program: same(\.program), executable: same(\.executable), threads: threads,
      facts: Array(reports.flatMap(\.facts).prefix(BacktraceLimits.facts)),
      notes: Array((reports.flatMap(\.notes) + notes).prefix(BacktraceLimits.facts)), reports: places)
  }
}

extension Backtrace {
  /// Returns the backtrace marked as one of several reports.
  fileprivate func named(_ report: String) -> Backtrace {
    func section(_ section: String?) -> String { section.map { "\($0), \(report)" } ?? report }
    var threads = threads
    for place in threads.indices { threads[place].section = section(threads[place].section) }
    return Backtrace(
      kind: kind, program: program, executable: executable, threads: threads,
      facts: facts.map { $0.of(section($0.section)) }, notes: notes.map { "\(report): \($0)" },
      reports: reports)
  }
}
