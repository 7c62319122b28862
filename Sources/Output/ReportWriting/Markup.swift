import Foundation
import Mustache
import TraceAnalysis

/// Escapes text from a trace for HTML and XML.
///
/// Works on Unicode scalars. A `<` with a combining mark after it is one character in Swift, but still a `<` to a
/// parser. Templates must not use Mustache's own escaping, which works on characters.
package enum Markup {
  /// Escapes all markup. The result is valid in XML 1.0 and does not affect the text around it.
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

  /// Returns the path in the form of a link.
  package static func link(_ path: String) -> String {
    path.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~/")))
      ?? path
  }

  private struct Content: MustacheContentType {
    func escapeText(_ text: String) -> String { Markup.escape(text) }
  }

  private static let contentType: Void = MustacheContentTypes.register(Content(), named: "MARKUP")

  /// Renders a template of Resources with its partial templates; their `{{ }}` use `escape`.
  package static func render(_ context: Any, _ page: String, parts: [String: String] = [:]) throws -> String {
    try template(page).render(context, library: MustacheLibrary(templates: parts.mapValues(template)))
  }

  private static func template(_ text: String) throws -> MustacheTemplate {
    _ = contentType
    return try MustacheTemplate(string: "{{% CONTENT_TYPE:MARKUP}}" + text)
  }
}
