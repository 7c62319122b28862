import EmbeddedFiles
import Foundation

/// The page's script: the ES modules of Resources, joined into one.
///
/// The modules are in the order of their imports, without import lines, the word `export` and comments. They share
/// one scope, so their declarations must have different names; a test checks this.
enum ReportScript {
  static let entry = "report-tables.js"

  static let text: String = {
    var joined = "\"use strict\";\n"
    var added: Set<String> = []
    func add(_ name: String) {
      guard added.insert(name).inserted else { return }
      for line in withoutComments(EmbeddedFile.text(name)).split(separator: "\n") {
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

  /// Returns the module without `/* … */` comments, which hold the types and most of the documentation.
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
