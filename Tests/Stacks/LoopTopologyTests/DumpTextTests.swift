import LoopTopology
import TestSupport
import Testing

/// Dumps in the middle of other text, and text that is not a dump.
@Suite struct DumpTextTests {
  private let loop = LinuxLoop(items: [(LinuxLoop().timer("0x88"), ["(common)"])])

  @Test func inTheMiddleOfALog() throws {
    var text = DumpText(Array("one\ntwo\n2026-11-22 app[1:2] \(loop.text)three\n".utf8))
    let (topology, line) = try text.dump(1)
    #expect(line == 3)
    #expect(try topology == loop.topology)
  }

  @Test func several() throws {
    var others = loop
    others.currentMode = "B"
    let text = "first\n\(loop.text)between <CFRunLoop 0x1 [0x2]>\n\(others.text)"
    #expect(try Dumps.topology(text).currentMode == nil)
    #expect(try Dumps.topology(text, 2).currentMode == "B")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let second = try #require(lines.lastIndex { $0.hasPrefix("<CFRunLoop ") })
    #expect(
      Dumps.error(text, 3)?.description
        == "line \(second + 1): dump 2 begins here and is the last one; there is no dump 3")
  }

  /// A broken dump has its own number, so that the others keep theirs.
  @Test func theDumpAfterABrokenOne() throws {
    let half = String(loop.text.prefix(loop.text.count / 2))
    let text = half + "\n" + loop.text
    #expect(Dumps.error(text) != nil)
    #expect(try Dumps.topology(text, 2) == loop.topology)
  }

  /// A dump in quotes, as debuggers and `debugPrint` show a string.
  @Test func inQuotes() throws {
    for original in [Array(loop.text.utf8), try Dumps.notesApp()] {
      let dump = String(decoding: original, as: UTF8.self)
      let start = try #require(dump.range(of: "<CFRunLoop "))
      let body = dump[start.lowerBound...].replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n").replacing("\t", with: "\\t")
      let quoted = "log\nOptional(\"\(body)\")\nmore\n"
      var text = DumpText(Array(quoted.utf8))
      let (topology, line) = try text.dump(1)
      #expect(line == 2)
      #expect(try topology == Dumps.topology(original))
    }
  }

  /// Mail programs and web pages change white space.
  @Test(arguments: [("\n", "\r\n"), ("\t", ""), ("\t", "    "), ("\n", " "), (", \n", ",\n")])
  func otherWhiteSpace(old: String, new: String) throws {
    var loop = loop
    loop.items.append((loop.observer("0x99", context: "<NSObject: 0x1>"), ["(common)", "C"]))
    let text = loop.text.replacing(old, with: new)
    guard old != "\n" || new != " " else {
      // The name of the current mode ends at the end of its line.
      let joined = try Dumps.topology(text.replacing("(none),", with: "(none),\n"))
      #expect(try joined == loop.topology)
      return
    }
    #expect(try Dumps.topology(text) == loop.topology)
  }

  /// The program's own code describes contexts, so they may contain any text.
  @Test(arguments: [
    "<Owner: 0x1> {state = {on}, list = (1, 2)}", "a smile :-} goes on", "two } of } them, too",
    "<CFString 0x1 [0x2]>{contents = \"{ not closed\"}", "", "callout = , context = x",
    "lines\n\tof\n}, text {}",
  ])
  func anyContext(context: String) throws {
    var loop = loop
    loop.items.append((loop.observer("0x99", context: context), ["C"]))
    loop.items.append((loop.observer("0xaa", order: 5), ["C"]))
    guard !context.hasPrefix("lines") else {
      #expect(Dumps.error(loop.text) != nil)
      return
    }
    let observers = try #require(try loop.topology.modes.last?.observers)
    #expect(observers.map(\.context) == [context, "<CFRunLoopObserver context (nil)>"])
  }

  @Test func textsWithoutADump() throws {
    for text in ["", "no dump\nanywhere", "<CFRunLoopMode 0x1 [0x2]>{name = x", "<CFRunLoop 0x1 [0x2]>"] {
      let error = try #require(Dumps.error(text + "\n"), "\(text)")
      #expect(error.line == 1 && error.what.contains("no dump"), "\(error)")
    }
    let foundation = try #require(Dumps.error("a\nb <RunLoop: 0x00005581>\n"))
    #expect(foundation.line == 2 && foundation.what.contains("CFCopyDescription"), "\(foundation)")
  }

  /// A dump cut at any place causes one error, on the last line or before it. The parts of the loop that were read
  /// are kept.
  @Test func halfOfADump() throws {
    let notes = try Dumps.notesApp()
    let start = try #require(notes.firstIndex(of: UInt8(ascii: "<")))
    let end = try #require(notes.lastIndex(of: UInt8(ascii: "\n")))
    let second = try #require(notes[..<end].range(of: Array("timer added".utf8)))
    let first = notes[..<second.lowerBound]
    // The end of the dump, before the log continues.
    let last = try #require(first.lastIndex(of: UInt8(ascii: "}")))
    var cuts = 0
    for cut in stride(from: start + 20, to: last, by: 41) {
      let text = notes[..<cut]
      let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
      do {
        let topology = try Dumps.topology(Array(text))
        let error = try #require(topology.cut, "cut at \(cut) is whole")
        #expect((2...lines).contains(error.line), "cut at \(cut): \(error)")
        cuts += 1
      } catch let error as DumpError {
        #expect((2...lines).contains(error.line), "cut at \(cut): \(error)")
      }
    }
    #expect(cuts > 100)
    let cut = try Dumps.topology(Array(notes[..<(start + 3000)])).cut
    #expect(cut?.what.hasPrefix("the dump that begins on line 2 ends here, inside ") == true)
  }

  /// Missing lines are reported.
  @Test func entriesThatAreMissing() throws {
    let loop = LinuxLoop(items: [
      (LinuxLoop().timer("0x88"), ["C"]), (LinuxLoop().timer("0x99"), ["C"]),
    ])
    let text = loop.text.replacing("\t1 : " + loop.items[1].item + "\n", with: "")
    #expect(Dumps.error(text)?.what == "expected 2 entries of the timers, got 1")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let list = lines.firstIndex { $0.contains("timers = ") && $0.contains("count = 2") }
    #expect(Dumps.error(text)?.line == list.map { $0 + 1 })
  }

  @Test(arguments: [
    ("order = 0", "order = zero", "expected a whole number in an observer, got 'zero'"),
    ("valid = Yes", "valid = Maybe", "expected Yes or No in an observer, got 'Maybe'"),
    ("activities = 0xa0", "activities = 12", "expected activities as 0xa0 in an observer, got '12'"),
    ("<CFRunLoopObserver 0x99", "<CFRunLoopObserver here", "expected the address of an observer"),
    ("<CFRunLoopObserver 0x99", "<CFData 0x99", "expected a source, an observer or a timer"),
  ])
  func wrongFields(right: String, wrong: String, what: String) {
    let loop = LinuxLoop(items: [(LinuxLoop().observer("0x99"), ["C"])])
    let text = loop.text.replacing(right, with: wrong)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = lines.firstIndex { $0.contains(wrong) }.map { $0 + 1 }
    #expect(Dumps.error(text)?.what == what)
    #expect(Dumps.error(text)?.line == line)
  }

  @Test func tooMuch() {
    let long = LinuxLoop(items: [
      (LinuxLoop().observer("0x99", context: String(repeating: "x", count: 100_000)), ["C"])
    ])
    #expect(Dumps.error(long.text)?.what == "an observer is longer than 65536 bytes")
    // Deep nesting is counted without recursion.
    let deep = String(repeating: "{", count: 20_000) + String(repeating: "}", count: 20_000)
    let loop = LinuxLoop(items: [(LinuxLoop().observer("0x99", context: deep), ["C"])])
    #expect(Dumps.error(loop.text) == nil)
  }
}

extension ArraySlice<UInt8> {
  fileprivate func range(of part: [UInt8]) -> Range<Int>? {
    indices.first { self[$0...].starts(with: part) }.map { $0..<$0 + part.count }
  }
}
