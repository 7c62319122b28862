// A server that answers many requests, at most 32 at once. Each request is a task, and its answer a job of a queue. Logs
// the steps of each request. Prints how many answers the queue has sent:
//
//     ran COUNT QUEUE
import Dispatch
import Foundation

private final class Answers: @unchecked Sendable {
  private static let label = "org.example.answers"
  private let queue = DispatchQueue(label: Answers.label)
  /// Only used on the queue.
  private var sent = 0

  func send(_ sum: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async {
        self.sent += 1
        continuation.resume(returning: sum >= 0)
      }
    }
  }

  func write() { print("ran \(queue.sync { sent }) \(Answers.label)") }
}

@main private struct Server {
  private static let atOnce = 32

  static func main() async {
    guard let count = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }), count > 0 else {
      print("usage: server COUNT")
      exit(64)
    }
    let answers = Answers()
    let answered = await withTaskGroup(of: Bool.self) { group in
      var answered = 0
      for number in 0..<count {
        if number >= atOnce, await group.next() == true { answered += 1 }
        group.addTask(name: "request") { await answer(number, answers) }
      }
      for await isAnswered in group where isAnswered { answered += 1 }
      return answered
    }
    // The ends of the last task and of the last job are stored after them.
    await pause(milliseconds: 20)
    Log.tasks(answered, "request")
    Log.write()
    answers.write()
  }

  private static func answer(_ number: Int, _ answers: Answers) async -> Bool {
    Log.step()
    let isAnswered = await answers.send(checksum(number))
    Log.step()
    return isAnswered
  }

  /// Takes some microseconds.
  @inline(never) private static func checksum(_ number: Int) -> Int {
    (0..<2000).reduce(number) { ($0 &* 31 &+ $1) & 0xFFFF }
  }
}
