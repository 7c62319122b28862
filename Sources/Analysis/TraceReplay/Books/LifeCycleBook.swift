import TraceFormat

/// The life cycle that the app reported: phases, background tasks and expensive services.
package final class LifeCycleBook {
  package typealias PhaseMark = (code: UInt64, time: Moment)

  package struct Task {
    var object: ObjectID
    package var name: StringID
    package var budgetNs: UInt64
    package var begin: Moment
    package var end: Moment?
    package var isExpired = false
  }

  package struct Service {
    package var name: StringID
    package fileprivate(set) var on = Stopwatch()
    package var starts: UInt64 = 0
    /// The objects for which the service is on.
    var objects: Set<ObjectID> = []
  }

  /// A stay in the background, from leaving the foreground to returning to it.
  package struct Stay {
    package var begin: Moment
    package var end: Moment?
    /// The number of marks that repeated the phase already in force.
    package var doubledMarks: UInt64 = 0
    package var suspended: Length = .zero
  }

  package struct Span {
    package var begin: Moment
    package var end: Moment
    package var length: Length { end &- begin }
  }

  /// Adds up how long a condition holds.
  package struct Stopwatch {
    private var since: Moment?
    package private(set) var total = Length.zero

    /// Switches the stopwatch. Returns the span that ends, if any.
    @discardableResult
    fileprivate mutating func turn(_ isOn: Bool, at time: Moment) -> Span? {
      guard let begin = since else {
        since = isOn ? time : nil
        return nil
      }
      guard !isOn else { return nil }
      since = nil
      total &+= time.since(begin)
      return Span(begin: begin, end: max(begin, time))
    }

    /// Restarts the total at `time`. A running stopwatch counts from `time` on.
    fileprivate mutating func beginWindow(_ time: Moment) {
      total = .zero
      since = since.map { _ in time }
    }
  }

  package private(set) var phases: [PhaseMark] = []
  package private(set) var tasks: [Task] = []
  package private(set) var services: [Service] = []
  package private(set) var stays: [Stay] = []
  /// Time in the background with neither a task nor a service.
  package private(set) var unprotected: [Span] = []
  /// Time in the background with at least one open task.
  package private(set) var covered = Stopwatch()
  package private(set) var uncovered = Stopwatch()
  package private(set) var omitted: UInt64 = 0
  private var openTasks: Set<ObjectID> = []
  /// By object: the indices in `tasks` of its open tasks, and the indices in `services` of the services that it keeps
  /// on.
  private var placesOfTask: [ObjectID: [Int]] = [:]
  private var placesOfService: [ObjectID: [Int]] = [:]
  private var placeOfName: [StringID: Int] = [:]
  private var openServices = 0
  private var isInBackground = false

  private static let foreground: Set<UInt64> = [1, 2, 6]

  // MARK: Phases

  func phase(_ code: UInt64, at time: Moment) {
    if phases.last?.code == code {
      // Some notifications arrive twice.
      if code == 6, stays.last?.end != nil {
        stays[stays.count - 1].doubledMarks += 1
      }
      if code == 4, isInBackground { stays[stays.count - 1].doubledMarks += 1 }
      return
    }
    append(&phases, (code, time))
    if code == 4 || code == 5 {
      if !isInBackground {
        isInBackground = true
        append(&stays, Stay(begin: time))
      }
    } else if LifeCycleBook.foreground.contains(code), isInBackground {
      isInBackground = false
      if let last = stays.indices.last, stays[last].end == nil { stays[last].end = time }
    }
    protect(time)
  }

  private func append<T>(_ list: inout [T], _ element: T) {
    if list.count < AnalysisLimits.lifeCycleRows { list.append(element) } else { omitted += 1 }
  }

  func suspended(from: Moment, to: Moment) {
    if isInBackground, let last = stays.indices.last { stays[last].suspended &+= to &- from }
  }

  // MARK: Tasks and services

  func taskBegins(_ object: ObjectID, name: StringID, budgetNs: UInt64, at time: Moment) {
    // A budget longer than any trace counts as none.
    let budgetNs = min(budgetNs, AnalysisLimits.timeNs)
    let place = tasks.count
    append(&tasks, Task(object: object, name: name, budgetNs: budgetNs, begin: time))
    if tasks.count > place { placesOfTask[object, default: []].append(place) }
    openTasks.insert(object)
    protect(time)
  }

  func taskEnds(_ object: ObjectID, expired: Bool, at time: Moment) {
    if let at = placesOfTask[object]?.popLast() {
      if placesOfTask[object]?.isEmpty == true { placesOfTask[object] = nil }
      tasks[at].end = time
      tasks[at].isExpired = expired
    }
    openTasks.remove(object)
    protect(time)
  }

  func serviceBegins(_ object: ObjectID, name: StringID, at time: Moment) {
    if placeOfName[name] == nil {
      let place = services.count
      append(&services, Service(name: name))
      if services.count > place { placeOfName[name] = place }
    }
    guard let at = placeOfName[name], services[at].objects.insert(object).inserted else { return }
    placesOfService[object, default: []].append(at)
    services[at].on.turn(true, at: time)
    services[at].starts += 1
    openServices += 1
    protect(time)
  }

  func serviceEnds(_ object: ObjectID, at time: Moment) {
    for at in placesOfService.removeValue(forKey: object) ?? [] {
      services[at].objects.remove(object)
      services[at].on.turn(!services[at].objects.isEmpty, at: time)
      openServices -= 1
    }
    protect(time)
  }

  /// Updates the stopwatches after a change at `time`.
  private func protect(_ time: Moment) {
    count(
      isInBackground && !openTasks.isEmpty, isInBackground && openTasks.isEmpty && openServices == 0, time)
  }

  private func count(_ isCovered: Bool, _ isUncovered: Bool, _ time: Moment) {
    covered.turn(isCovered, at: time)
    if let span = uncovered.turn(isUncovered, at: time) { append(&unprotected, span) }
  }

  // MARK: The window

  /// Forgets what ended before `time`. Open phases and services count from `time` on.
  func beginWindow(_ time: Moment) {
    phases = phases.last.map { [($0.code, time)] } ?? []
    tasks = tasks.filter { $0.end == nil }
    placesOfTask = [:]
    for (place, task) in tasks.enumerated() { placesOfTask[task.object, default: []].append(place) }
    stays = isInBackground ? stays.suffix(1).map { Stay(begin: $0.begin) } : []
    unprotected = []
    covered.beginWindow(time)
    uncovered.beginWindow(time)
    for at in services.indices {
      services[at].on.beginWindow(time)
      services[at].starts = UInt64(services[at].objects.count)
    }
  }

  func finish(_ end: Moment) {
    for at in services.indices { services[at].on.turn(false, at: end) }
    count(false, false, end)
  }
}
