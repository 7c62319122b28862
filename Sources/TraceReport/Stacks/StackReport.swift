import CallStacks

/// What a text with stacks is, and what its threads say.
public struct StackReport: Sendable {
  public struct Thread: Sendable {
    /// What messages call it.
    public let title: String
    public let section: String?
    public let number: UInt64?
    public let id: UInt64?
    public let name: String?
    /// Where it begins in the text.
    public let line: Int
    public let isMain: Bool
    public let verdict: StackVerdict
    /// That it waits for, whoever holds it.
    public let lock: LockWait?

    public init(
      title: String, section: String?, number: UInt64?, id: UInt64?, name: String?, line: Int,
      isMain: Bool, verdict: StackVerdict, lock: LockWait?
    ) {
      self.title = title
      self.section = section
      self.number = number
      self.id = id
      self.name = name
      self.line = line
      self.isMain = isMain
      self.verdict = verdict
      self.lock = lock
    }
  }

  /// As it was named.
  public let file: String
  /// Who wrote it: a name for programs, and words for people.
  public let format: String
  public let formatWords: String
  /// The program that it is about.
  public let program: String?
  public let threads: [Thread]
  /// How many threads there are besides.
  public let otherThreads: Int
  /// By thread, the place of the one that holds the lock that it waits for, where that is known.
  let owners: [Int?]
  /// Threads that wait for each other's locks, by place.
  let deadlocks: [[Int]]

  public init(
    file: String, format: String, formatWords: String, program: String?, threads: [Thread], otherThreads: Int
  ) {
    self.file = file
    self.format = format
    self.formatWords = formatWords
    self.program = program
    self.threads = threads
    self.otherThreads = otherThreads
    owners = threads.indices.map { Self.owner(of: $0, among: threads) }
    deadlocks = LockCircles(owners: owners).circles
  }

  private static func owner(of place: Int, among threads: [Thread]) -> Int? {
    let section = threads[place].section
    switch threads[place].lock?.owner {
    case .thread(let id): return threads.firstIndex { $0.id == id && $0.section == section }
    case .mainThread: return threads.firstIndex { $0.isMain && $0.section == section }
    case .itself: return place
    case nil: return nil
    }
  }
}

extension ConfidenceReason {
  var words: String {
    switch self {
    case .oneSample:
      "one moment alone does not tell what takes long from what merely was running"
    case .fewSamples(let count): "only \(count) samples"
    case .samples(let count): "\(count) samples"
    case .share(let share):
      "\((share * 1000).rounded() / 10)".with("", for: ".0")
        + " % of what was seen, waiting for events left out"
    case .imagesUnknown: "the text does not say which image the function is of"
    case .noName: "the function has no name; the text wants to be symbolicated"
    case .noOwnFrame: "no function of the app is on the stack; --app-image names the app's images"
    case .onlyOutsideTheLoop:
      "functions of the app stand only outside of what runs the loop, and did not hold it"
    case .noFrames: "there are no frames"
    }
  }
}
