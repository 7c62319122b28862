import ReportWriting
import Testing
import TextReport

/// The result of `rltrace doctor`, from given checks.
@Suite struct DoctorTextTests {
  private let style = TextStyle(isColoured: false, width: 60)
  private static let limited = DoctorCheck(
    "files and lines", .limited, "none", advice: "functions have no files and lines; install the package llvm"
  )

  private func lines(_ checks: [DoctorCheck], program: String? = nil) -> [String] {
    DoctorText(DoctorReport(program: program, checks), style: style).lines()
  }

  @Test func adviceFollowsItsCheck() {
    #expect(
      lines([DoctorCheck("system", .ok, "Linux"), Self.limited]) == [
        "ok       system              Linux", "limited  files and lines     none",
        "         functions have no files and lines; install the", "         package llvm", "",
        "programs can be recorded here, within the limits above",
      ])
    #expect(lines([DoctorCheck("system", .ok, "Linux")]).last == "programs can be recorded here")
  }

  /// A missing part prevents a recording only if recordings need it.
  @Test(arguments: [
    (DoctorCheck.State.missing, true, false), (.missing, false, true), (.limited, true, true),
  ])
  func aNeededPart(state: DoctorCheck.State, isNeeded: Bool, canRecord: Bool) throws {
    let check = DoctorCheck("program", state, "a", advice: "b", isNeeded: isNeeded)
    let report = DoctorReport(program: "a\u{1B}b", [Self.limited, check])
    #expect(report.canRecord == canRecord)
    let last = try #require(DoctorText(report, style: style).lines().last)
    #expect(
      last.hasPrefix("a") && last.contains(canRecord ? " can be recorded here" : " cannot be recorded here"))
    #expect(!last.unicodeScalars.contains("\u{1B}"))
    #expect(try DoctorJSON.document.encode([report]).contains("\"can_record\" : \(canRecord)"))
  }
}
