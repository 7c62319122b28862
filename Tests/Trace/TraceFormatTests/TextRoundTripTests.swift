import TestSupport
import Testing
import TraceFormat

/// `dump | assemble` loses nothing.
@Suite struct TextRoundTripTests {
  @Test func randomTracesGiveTheSameBytes() throws {
    var random = SeededGenerator(named: "text, none")
    for _ in 0..<80 {
      let bytes = try randomTrace(codec: .none, &random)
      let again = try assembleTrace(try dumpTrace(try openTrace(bytes)))
      #expect(firstDifference(again, bytes) == nil, "\(TestSeed.note)")
    }
  }

  /// The zstd library may differ between writer and reader, so only the content is guaranteed.
  @Test func compressedTracesGiveTheSameContent() throws {
    var random = SeededGenerator(named: "text, zstd")
    for _ in 0..<60 {
      let text = try dumpTrace(try openTrace(try randomTrace(codec: .zstd, &random)))
      let again = try dumpTrace(try openTrace(try assembleTrace(text)))
      #expect(firstDifference(Array(again.utf8), Array(text.utf8)) == nil, "\(TestSeed.note)")
    }
  }

  /// none → zstd → none gives the original bytes.
  @Test func codecsAreInterchangeable() throws {
    var random = SeededGenerator(named: "text, codecs")
    for _ in 0..<30 {
      let bytes = try randomTrace(codec: .none, &random)
      let packed = try assembleTrace(try dumpTrace(try openTrace(bytes)), codec: .zstd)
      let reader = try openTrace(packed)
      #expect(reader.header.codec == .zstd)
      let plain = try assembleTrace(try dumpTrace(reader), codec: CodecID.none)
      #expect(firstDifference(plain, bytes) == nil, "\(TestSeed.note)")
    }
  }

  @Test(arguments: HostileText.samples.indices) func hostileNames(sample: Int) throws {
    let name = HostileText.samples[sample]
    let bytes = try writeTrace(codec: .none) { writer in
      try writer.write([StringDefinition(id: 1, text: name), StringDefinition(id: 2, text: name)])
      try writer.write([ThreadDefinition(index: 0, osThread: 1, isMain: true, name: name)])
      try writer.write([ModeDefinition(id: 1, name: name)])
      try writer.write([InfoEntry(key: name, value: name)])
      let events = [
        TestEvent(time: 1, kind: .loopCreate, object: 1, arguments: [1]),
        TestEvent(time: 2, kind: .beforeTimersLow, mode: 1, object: 1),
      ]
      try writer.write(EventBuffer(events), thread: 0)
    }
    let text = try dumpTrace(try openTrace(bytes))
    #expect(try assembleTrace(text) == bytes)
    // No character in the text may move a cursor, or hide or reverse its neighbours.
    let harmful = text.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control: scalar != "\n" && scalar != "\t"
      case .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
      default: false
      }
    }
    #expect(harmful.isEmpty)
  }

  /// An argument's name may begin like a mode, and its event may have neither mode nor object.
  @Test func argumentsWithoutModeAndObject() throws {
    let events = EventTable.definitions.enumerated().map { i, definition in
      TestEvent(time: UInt64(i), kind: definition.kind, arguments: definition.arguments.map { _ in 7 })
    }
    let bytes = try writeTrace(codec: .none) { try $0.write(EventBuffer(events), thread: 0) }
    #expect(try assembleTrace(try dumpTrace(try openTrace(bytes))) == bytes)
  }

  /// The trace of a killed recorder stays unclean.
  @Test func uncleanTraces() throws {
    let whole = try writeTrace(codec: .none) { writer in
      try writer.write([ModeDefinition(id: 1, name: "m")])
      try writer.write(EventBuffer([TestEvent(time: 1, kind: .mark)]), thread: 0)
    }
    let reader = try openTrace(whole)
    let end = Int(reader.blocks[1].offset) + 40 + reader.blocks[1].payloadBytes
    let killed = Array(whole.prefix(end))
    let text = try dumpTrace(try openTrace(killed))
    #expect(text.hasSuffix("unclean\n"))
    #expect(try assembleTrace(text) == killed)
  }

  /// Texts from editors with other line endings, blank lines and comments.
  @Test func editedText() throws {
    let text =
      "# a comment\r\n\r\n  # another\r\nrltrace-text 1\r\nheader minor=0 unit=1us codec=none"
      + " capture=activities clock=virtual high=no ; comment\r\n\r\nevents thread=3\r\n\t5 mark name=0x0;\r\n# end\r\nend\r\n"
    #expect(throws: TraceFormatError.self) { try assembleTrace(text) }
    let reader = try openTrace(try assembleTrace(text.replacing("0x0;", with: "0x0 ;")))
    #expect(try reader.allEvents() == [[TestEvent(time: 5, kind: .mark, arguments: [0])]])
    #expect(reader.header.timeUnit == .us1 && reader.blocks[0].thread == 3)
  }
}
