import TraceCompression
import TraceFormat

/// Returns the trace that `text` describes, as the bytes of its file.
package func assembleTrace(_ text: String, codec: CodecID? = nil) throws -> [UInt8] {
  let sink = MemorySink()
  var assembler = TextAssembler(sink: sink, codecs: allCodecs, codec: codec)
  // Split by bytes: as a Character, CR LF is a single one.
  for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
    try assembler.read(String(Substring(line)))
  }
  try assembler.finish()
  return sink.bytes
}

package func openTrace(_ bytes: [UInt8], longNames: LongNames? = nil) throws -> TraceReader {
  try TraceReader(source: MemorySource(bytes), codecs: allCodecs, longNames: longNames)
}

package func openTrace(path: String) throws -> TraceReader {
  try TraceReader(source: FileSource(path: path), codecs: allCodecs)
}

/// Returns a copy without names, as `rltrace redact` makes it.
package func redactTrace(_ reader: TraceReader) throws -> TraceReader {
  let sink = MemorySink()
  var redactor = try TraceRedactor(reader, sink: sink, codec: NoCodec())
  _ = try redactor.redact()
  return try openTrace(sink.bytes)
}

/// Returns the output of `rltrace dump`.
package func dumpTrace(_ reader: TraceReader) throws -> String {
  var text = ""
  var dumper = TextDumper(reader)
  try dumper.dump { text += $0 + "\n" }
  return text
}

/// Returns the text without comments, indentation and blank lines.
package func essence(_ text: String) -> [String] {
  text.split(separator: "\n").compactMap { line in
    // A `;` after a space outside quotes begins a comment. A name may contain one, but every name is in quotes.
    let content = withoutComment(line).drop { $0 == " " }
    return content.isEmpty || content.utf8.first == UInt8(ascii: "#") ? nil : String(content)
  }
}

private func withoutComment(_ line: Substring) -> Substring {
  var isQuoted = false
  var isEscaped = false
  var isAfterSpace = true
  for (offset, byte) in line.utf8.enumerated() {
    if byte == UInt8(ascii: ";"), !isQuoted, isAfterSpace {
      let content = line.utf8.prefix(offset)
      let end = content.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
      return end.map { Substring(content[...$0]) } ?? ""
    }
    if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
    isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    isAfterSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
  return line
}
