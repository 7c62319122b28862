import Foundation
import Mustache
import TraceAnalysis

/// Text from a trace inside HTML and XML.
///
/// By Unicode scalars: a `<` with a combining mark behind it is one character to Swift and still a `<` to a parser,
/// so templates must not use Mustache's own escaping, which goes by characters.
enum Markup {
  /// Nothing in it is markup, XML 1.0 allows all of it, and none of it moves the text around it.
  static func escape(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out.append(contentsOf: "&amp;".unicodeScalars)
      case "<": out.append(contentsOf: "&lt;".unicodeScalars)
      case ">": out.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": out.append(contentsOf: "&quot;".unicodeScalars)
      case "'": out.append(contentsOf: "&#39;".unicodeScalars)
      case "\n", "\t": out.append(scalar)
      default: out.append(scalar.visible)
      }
    }
    return String(out)
  }

  private struct Content: MustacheContentType {
    func escapeText(_ text: String) -> String { Markup.escape(text) }
  }

  private static let contentType: Void = MustacheContentTypes.register(Content(), named: "MARKUP")

  /// A template of Resources with those that it names; their `{{ }}` escape as above.
  static func render(_ context: Any, _ page: [UInt8], parts: [String: [UInt8]] = [:]) throws -> String {
    try template(page).render(context, library: MustacheLibrary(templates: parts.mapValues(template)))
  }

  private static func template(_ bytes: [UInt8]) throws -> MustacheTemplate {
    _ = contentType
    return try MustacheTemplate(string: "{{% CONTENT_TYPE:MARKUP}}" + String(decoding: bytes, as: UTF8.self))
  }
}
