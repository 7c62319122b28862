/// The main dispatch queue, as the main loop sees it.
package final class ModelMainQueue {
  let descriptor = Descriptor()
  private var blocks: [() -> Void] = []

  /// dispatch_async, from any thread.
  package func async(_ body: @escaping () -> Void) {
    descriptor.write()
    blocks.append(body)
  }

  /// Wakes the loop for the queue even if no block is queued.
  package func wake() { descriptor.write() }

  /// Runs the blocks that are queued now. Blocks that they queue wait for the next drain.
  func drain() {
    let batch = blocks.count
    for _ in 0..<batch { blocks.removeFirst()() }
  }
}
