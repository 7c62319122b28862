import Foundation

// A tool waits for an answer that arrives after two seconds.

nonisolated(unsafe) var answer: String?

func waitForAnswer() {
  while answer == nil {
    #if FIXED
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
    #else
    _ = RunLoop.main.run(mode: .default, before: Date())
    #endif
  }
}

_ = Timer.scheduledTimer(withTimeInterval: 2, repeats: false) { _ in answer = "42" }
waitForAnswer()
