import Foundation
import TestSupport
import Testing

/// `rltrace report` with several traces.
@Suite struct OverviewTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func report(_ arguments: String...) throws -> Program.Result {
    try Program.rltrace.run(["report"] + arguments)
  }

  @Test func severalTraces() throws {
    let index = folder.file("all.html")
    let traces = ["starvation-common", "five-causes", "background-task-cycle"].map(SampleTraces.virtual)
    let missing = folder.file("missing.rltrace")
    let result = try report(traces[0], traces[1], missing, traces[2], traces[1], "-o", index)
    #expect(result.status == 66 && result.errors.contains("missing.rltrace: cannot open"))
    #expect(folder.names == ["all-reports", "all.html"])
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder.file("all-reports")).sorted()
    #expect(
      pages == [
        "background-task-cycle.html", "five-causes-2.html", "five-causes.html", "starvation-common.html",
      ])
    let page = try String(contentsOfFile: index, encoding: .utf8)
    #expect(!page.contains("<script") && !page.contains("{{"))
    // The worst trace comes first; unreadable files are reported.
    #expect(page.contains("<div class=\"verdict bad\">") && page.contains("5 traces, "))
    #expect(page.contains("missing.rltrace: cannot open"))
    for name in pages {
      #expect(page.contains("<a href=\"all-reports/\(name)\">"), "\(name)")
    }
    // Its times are links into the reports.
    let links = page.matches(of: ##/href="all-reports/five-causes\.html#s=(\d+)-(\d+)"/##)
    #expect(links.count >= 5, "\(links.count)")
    #expect(links.contains { $0.1 == "500000000" && $0.2 == "900000000" }, "\(links.map(\.0))")
  }

  @Test func wrongUsage() throws {
    let trace = SampleTraces.virtual("modes")
    let nowhere = try report(trace, trace)
    #expect(nowhere.status == 64 && nowhere.errors.contains("several traces need -o"))
    let out = try report(trace, trace, "-o", "-")
    #expect(out.status == 64 && out.output.isEmpty)
    let blocked = try report(trace, trace, "-o", "/nonexistent/below/x.html")
    #expect(blocked.status == 73 && blocked.errors.contains("cannot create the folder"))
  }
}
