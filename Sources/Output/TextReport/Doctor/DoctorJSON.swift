import ReportWriting
import TraceTables

/// Writes what can be recorded on a system as JSON. docs/reference/commands/doctor.md defines each key.
package enum DoctorJSON {
  private static let checks = ResultTable<DoctorCheck>("checks", "parts of the system, and the program") {
    Column("name", "what was examined") { $0.name }
    Column("state", DoctorCheck.State.allCases.map(\.rawValue).joined(separator: ", ")) { $0.state.rawValue }
    Column("found", "what the system has") { $0.found }
    Column("advice", "consequence for recordings, and what to do; null = nothing is missing") { $0.advice }
  }

  package static let document = JSONDocument<DoctorReport>(
    "rltrace.doctor/1", "what can be recorded on a system"
  ) {
    Column("program", "program as given; null = only the system was examined") { $0.program }
    Column("can_record", "whether no check found that recording is impossible") { $0.canRecord }
    Column.rows(checks) { $0.checks }
  }
}
