import Foundation

/// The page's script: the ES modules of Resources, joined into one.
///
/// The modules are in the order of their imports, without import lines, the word `export` and comments. They share
/// one scope, so their declarations must have different names; a test checks this.
enum ReportScript {
  static let entry = "report-tables.js"
  static let modules: [String: [UInt8]] = [
    "report-charts.js": PackageResources.report_charts_js,
    "report-columns.js": PackageResources.report_columns_js,
    "report-controls.js": PackageResources.report_controls_js,
    "report-data.js": PackageResources.report_data_js,
    "report-details.js": PackageResources.report_details_js,
    "report-flame.js": PackageResources.report_flame_js,
    "report-format.js": PackageResources.report_format_js,
    "report-lanes.js": PackageResources.report_lanes_js,
    "report-marks.js": PackageResources.report_marks_js,
    "report-page.js": PackageResources.report_page_js,
    "report-pen.js": PackageResources.report_pen_js,
    "report-spans.js": PackageResources.report_spans_js,
    "report-stacks.js": PackageResources.report_stacks_js,
    "report-stall.js": PackageResources.report_stall_js,
    "report-strip.js": PackageResources.report_strip_js,
    "report-tables.js": PackageResources.report_tables_js,
    "report-timeline.js": PackageResources.report_timeline_js,
    "report-timers.js": PackageResources.report_timers_js,
    "report-vocabulary.js": PackageResources.report_vocabulary_js,
  ]

  static let text: String = {
    var joined = "\"use strict\";\n"
    var added: Set<String> = []
    func add(_ name: String) {
      guard added.insert(name).inserted, let module = modules[name] else { return }
      for line in withoutComments(String(decoding: module, as: UTF8.self)).split(separator: "\n") {
        let code = line.drop { $0 == " " }
        if let imported = importedModule(code) {
          add(imported)
        } else if !code.isEmpty, !code.hasPrefix("//") {
          joined += (code.hasPrefix("export ") ? code.dropFirst("export ".count) : code) + "\n"
        }
      }
    }
    add(entry)
    return joined
  }()

  /// Returns the module without `/* … */` comments, which hold types and most other comments.
  private static func withoutComments(_ module: String) -> String {
    let parts = module.components(separatedBy: "/*")
    return parts.dropFirst().reduce(parts[0]) { code, part in
      let end = part.range(of: "*/")?.upperBound ?? part.endIndex
      return code + part[end...].drop { $0 == " " }
    }
  }

  /// Returns the module of `import { names } from "./module";`.
  static func importedModule(_ line: Substring) -> String? {
    guard line.hasPrefix("import ") else { return nil }
    let parts = line.split(separator: "\"")
    return parts.count > 1 ? String(parts[1].dropFirst("./".count)) : nil
  }
}
