import Foundation

public final class Feed {
  public init() {}
  public private(set) var items: [String] = []

  private func parse() {
    // Parsing takes long, and it is done on the main queue.
    Thread.sleep(forTimeInterval: 0.4)
    items = ["first", "second"]
  }

  public func load(then done: @escaping () -> Void) {
    DispatchQueue.global().async {
      DispatchQueue.main.async {
        self.parse()
        done()
      }
    }
  }
}
