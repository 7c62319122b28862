import Dispatch
import Foundation

/// Ctrl-C and SIGTERM end a recording well: what was recorded is kept, as a complete trace.
final class Interruption {
  private var sources: [any DispatchSourceSignal] = []

  /// `close` completes the trace; afterwards the process ends with 128 + the signal's number, or with the status of
  /// what `close` threw.
  init(close: @escaping @Sendable () throws(Failure) -> Void) {
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      // Not the main queue: the main thread is in the recorded loop.
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        // The progress bar stands on the line.
        if Terminal.errorIsTerminal { Terminal.writeError("\r\u{1B}[K") }
        do throws(Failure) {
          try close()
        } catch {
          exit(error.report().rawValue)
        }
        Terminal.complain("interrupted; the trace holds what was recorded until then")
        exit(128 + number)
      }
      source.resume()
      sources.append(source)
    }
  }

  func disarm() { for source in sources { source.cancel() } }
}
