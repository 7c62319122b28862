import Backtraces
import CallStacks
import Testing

/// Sentry events, alone and in the envelopes in which Sentry's SDKs store them.
@Suite struct SentryTests {
  private static let header =
    #"{"event_id":"00000000000040008000000000000041","sent_at":"2026-01-01T00:00:00Z","sdk":{"name":"sentry.cocoa"}}"#

  /// Returns the event on one line, as in an envelope.
  private func event(_ name: String = "sentry-app-hang.json") throws -> String {
    try Reading.text("ForeignStacks/\(name)").split(separator: "\n").map {
      $0.drop { $0 == " " }
    }.joined()
  }

  private func item(_ type: String, _ payload: String, hasLength: Bool = true) -> String {
    let length = hasLength ? ",\"length\":\(payload.utf8.count)" : ""
    return "{\"type\":\"\(type)\"\(length)}\n\(payload)"
  }

  @Test func aHangOfAnApp() throws {
    let reading = try Reading(file: "ForeignStacks/sentry-app-hang.json")
    // The exception's stack is that of the main thread.
    #expect(reading.trace.threads.map(\.name) == ["io.larder.sync", "main"])
    #expect(reading.trace.threads(.usual).map(\.title) == ["thread 0 \"main\""])
    #expect(reading.trace.threads(.usual).map(\.isMain) == [true])
    #expect(reading.places == ["Shelf.swift:27"] && reading.image == "ShelfKit")
    #expect(reading.groups[0]?.cause == .disk)
    #expect(reading.facts(.exception) == ["App Hanging"])
    #expect(reading.facts(.reason) == ["App hanging for at least 2000 ms."])
  }

  /// The list of images gives the image of an address, and its offset.
  @Test func anEventOfTheNativeSDK() throws {
    let reading = try Reading(file: "ForeignStacks/sentry-native.json")
    #expect(reading.trace.kind == .sentry && reading.blamed == ["larderd + 4660"])
    #expect(reading.innermost == "fsync" && reading.outermost == "libc.so.6 + 160330")
    #expect(reading.facts(.exception) == ["SIGABRT"])
    #expect(reading.groups[0]?.frame?.imageID == "6E0B2C1D-0000-3000-8000-000000000005")
  }

  @Test func threadsWithoutAnException() throws {
    let text = """
      {"platform": "cocoa", "threads": {"values": [
        {"id": 0, "name": "main", "crashed": false, "stacktrace": {"frames": [
          {"function": "main", "package": "/private/var/x/Larder.app/Larder", "in_app": true}]}},
        {"id": 7, "crashed": true, "stacktrace": {"frames": [
          {"function": "start_wqthread", "package": "/usr/lib/system/libsystem_pthread.dylib", "in_app": false},
          {"function": "Sync.run()", "package": "/private/var/x/Larder.app/Larder", "in_app": true}]}}]}}
      """
    let reading = try Reading(text)
    #expect(reading.trace.threads(.usual).map(\.number) == [7])
    #expect(reading.blamed == ["Sync.run()"] && reading.outermost == "start_wqthread")
  }

  @Test func severalEvents() throws {
    let events = [try event(), try event("sentry-native.json")]
    for text in [events.joined(separator: "\n"), "[\(events.joined(separator: ","))]"] {
      let reading = try Reading(text)
      #expect(reading.blamed == ["Shelf.load(from:)", "larderd + 4660"])
      #expect(reading.trace.threads(.usual).map(\.section) == ["report 1", "report 2"])
    }
  }

  // MARK: Envelopes

  /// Attachments may contain any bytes, JSON or not.
  @Test func envelopes() throws {
    let event = try event()
    let log = item("attachment", "10:00 {not \"JSON\n\n10:01 \u{1}\n{\"type\":\"event\"}")
    let view = item("attachment", #"{"rendering_system":"UIKIT","windows":[]}"#)
    let session = item("session", #"{"sid":"1","status":"ok","exception":{}}"#)
    for items in [
      [item("event", event)], [item("event", event, hasLength: false)], [log, item("event", event)],
      [item("event", event), log, view], [session, view, item("event", event, hasLength: false), log],
    ] {
      for end in ["", "\n"] {
        let reading = try Reading(([Self.header] + items).joined(separator: "\n") + end)
        #expect(reading.trace.kind == .sentry && reading.blamed == ["Shelf.load(from:)"])
        #expect(reading.trace.threads.count == 2 && reading.trace.notes.isEmpty)
      }
    }
  }

  @Test func anEnvelopeWithOtherLineEndings() throws {
    let reading = try Reading([Self.header, item("event", try event()), ""].joined(separator: "\n").withCRLF)
    #expect(reading.blamed == ["Shelf.load(from:)"])
  }

  @Test func anEnvelopeThatIsCutOff() throws {
    let event = try event()
    let envelope = Self.header + "\n" + item("event", event)
    let cut = try Reading(envelope.upTo("io.larder.sync"))
    #expect(cut.blamed == ["Shelf.load(from:)"])
    #expect(cut.trace.notes == ["the text is cut off: the text ends inside a JSON string"])
  }

  @Test func anEnvelopeWithoutAnEvent() {
    let text = [Self.header, item("session", "{}"), item("client_report", "{}")].joined(separator: "\n")
    #expect(
      StackTexts.mistake(text) == "line 1: this Sentry envelope has no event; it has: session, client_report"
    )
  }

  @Test func anEventWithoutAStack() {
    let text = [Self.header, item("event", #"{"message":"hello"}"#)].joined(separator: "\n")
    #expect(StackTexts.mistake(text) == "no stack follows in this Sentry event; is the text cut off?")
  }
}
