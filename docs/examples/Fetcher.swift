import Foundation

// A view that shows the weather. It asks a service every half second, and waits for the answer.

final class Weather {
  private let service = DispatchQueue(label: "service")
  private var text = "…"

  /// Calls back after the time that a slow network takes.
  private func fetch(_ completion: @escaping @Sendable (String) -> Void) {
    service.asyncAfter(deadline: .now() + 0.35) { completion("18 °C") }
  }

  #if FIXED
  func refresh() {
    fetch { answer in DispatchQueue.main.async { self.text = answer } }
  }
  #else
  func refresh() {
    let isDone = DispatchSemaphore(value: 0)
    fetch { answer in
      self.text = answer
      isDone.signal()
    }
    isDone.wait()
  }
  #endif
}

let weather = Weather()
_ = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { _ in weather.refresh() }
RunLoop.main.run(until: Date(timeIntervalSinceNow: 3))
