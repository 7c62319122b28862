import TraceFormat

/// The app's own account of its life: phases, background tasks, expensive services.
package final class LifeCycleBook {
  package struct PhaseMark {
    package var code: UInt64
    package var time: Moment
  }

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
    package var on: Length = .zero
    package var starts: UInt64 = 0
    /// Those that are on; since when the first of them has been.
    var objects: Set<ObjectID> = []
    var since: Moment = .origin
  }

  /// A stay in the background, from leaving to return.
  package struct Stay {
    package var begin: Moment
    package var end: Moment?
    /// Marks that said again what was known.
    package var doubledMarks: UInt64 = 0
    package var suspended: Length = .zero
  }

  package struct Span {
    package var begin: Moment
    package var end: Moment
    package var length: Length { end &- begin }
  }

  package private(set) var phases: [PhaseMark] = []
  package private(set) var tasks: [Task] = []
  package private(set) var services: [Service] = []
  package private(set) var stays: [Stay] = []
  /// In the background with neither task nor service.
  package private(set) var unprotected: [Span] = []
  package private(set) var unprotectedTime: Length = .zero
  /// In the background with a task open, whatever their number.
  package private(set) var covered: Length = .zero
  package private(set) var omitted: UInt64 = 0
  private var coveredSince: Moment?
  private var unprotectedSince: Moment?
  private var openTasks: Set<ObjectID> = []
  private var openServices = 0
  private var isInBackground = false

  private static let foreground: Set<UInt64> = [1, 2, 6]

  // MARK: Phases

  func phase(_ code: UInt64, at time: Moment) {
    if phases.last?.code == code {
      // Notifications arrive twice: the second says nothing new.
      if code == 6, stays.last?.end != nil {
        stays[stays.count - 1].doubledMarks += 1
      }
      if code == 4, isInBackground { stays[stays.count - 1].doubledMarks += 1 }
      return
    }
    append(&phases, PhaseMark(code: code, time: time))
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
    append(&tasks, Task(object: object, name: name, budgetNs: budgetNs, begin: time))
    openTasks.insert(object)
    protect(time)
  }

  func taskEnds(_ object: ObjectID, expired: Bool, at time: Moment) {
    if let at = tasks.lastIndex(where: { $0.object == object && $0.end == nil }) {
      tasks[at].end = time
      tasks[at].isExpired = expired
    }
    openTasks.remove(object)
    protect(time)
  }

  func serviceBegins(_ object: ObjectID, name: StringID, at time: Moment) {
    var at = services.firstIndex { $0.name == name }
    if at == nil {
      append(&services, Service(name: name))
      at = services.firstIndex { $0.name == name }
    }
    guard let at, services[at].objects.insert(object).inserted else { return }
    if services[at].objects.count == 1 { services[at].since = time }
    services[at].starts += 1
    openServices += 1
    protect(time)
  }

  func serviceEnds(_ object: ObjectID, at time: Moment) {
    for at in services.indices {
      guard services[at].objects.remove(object) != nil else { continue }
      if services[at].objects.isEmpty { services[at].on &+= time &- services[at].since }
      openServices -= 1
    }
    protect(time)
  }

  /// Something changed at `time`: what covers the stay in the background?
  private func protect(_ time: Moment) {
    let isCovered = isInBackground && !openTasks.isEmpty
    if let since = coveredSince, !isCovered {
      covered &+= time &- since
      coveredSince = nil
    } else if isCovered, coveredSince == nil {
      coveredSince = time
    }
    let isUnprotected = isInBackground && openTasks.isEmpty && openServices == 0
    if let since = unprotectedSince, !isUnprotected {
      unprotectedTime &+= time &- since
      append(&unprotected, Span(begin: since, end: time))
      unprotectedSince = nil
    } else if isUnprotected, unprotectedSince == nil {
      unprotectedSince = time
    }
  }

  // MARK: The window

  /// What is open at `time` is as if it had begun then.
  func beginWindow(_ time: Moment) {
    phases = phases.last.map { [PhaseMark(code: $0.code, time: time)] } ?? []
    tasks = tasks.filter { $0.end == nil }
    stays = isInBackground ? stays.suffix(1).map { Stay(begin: $0.begin) } : []
    unprotected = []
    unprotectedTime = .zero
    covered = .zero
    coveredSince = coveredSince.map { _ in time }
    unprotectedSince = unprotectedSince.map { _ in time }
    for at in services.indices {
      services[at].on = .zero
      services[at].starts = UInt64(services[at].objects.count)
      services[at].since = time
    }
  }

  func finish(_ end: Moment) {
    for at in services.indices {
      if !services[at].objects.isEmpty { services[at].on &+= end.since(services[at].since) }
    }
    if let since = coveredSince { covered &+= end.since(since) }
    if let since = unprotectedSince {
      unprotectedTime &+= end.since(since)
      append(&unprotected, Span(begin: since, end: max(since, end)))
    }
  }
}
