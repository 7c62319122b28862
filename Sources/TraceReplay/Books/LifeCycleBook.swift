/// The app's own account of its life: phases, background tasks, expensive services. In time units.
package final class LifeCycleBook {
  package struct PhaseMark {
    package var code: UInt64
    package var time: UInt64
  }

  package struct Task {
    var object: UInt32
    package var name: UInt32
    package var budgetNs: UInt64
    package var begin: UInt64
    package var end: UInt64?
    package var isExpired = false
  }

  package struct Service {
    package var name: UInt32
    package var on: UInt64 = 0
    package var starts: UInt64 = 0
    /// Those that are on; since when the first of them has been.
    var objects: Set<UInt32> = []
    var since: UInt64 = 0
  }

  /// A stay in the background, from leaving to return.
  package struct Stay {
    package var begin: UInt64
    package var end: UInt64?
    /// Marks that said again what was known.
    package var doubledMarks: UInt64 = 0
    package var suspended: UInt64 = 0
  }

  package struct Span {
    package var begin: UInt64
    package var end: UInt64
  }

  package private(set) var phases: [PhaseMark] = []
  package private(set) var tasks: [Task] = []
  package private(set) var services: [Service] = []
  package private(set) var stays: [Stay] = []
  /// In the background with neither task nor service.
  package private(set) var unprotected: [Span] = []
  package private(set) var unprotectedTime: UInt64 = 0
  private(set) var unprotectedCount: UInt64 = 0
  /// In the background with a task open, whatever their number.
  package private(set) var covered: UInt64 = 0
  package private(set) var omitted: UInt64 = 0
  private var coveredSince: UInt64?
  private var unprotectedSince: UInt64?
  private var openTasks: Set<UInt32> = []
  private var openServices = 0
  private var isInBackground = false

  private static let foreground: Set<UInt64> = [1, 2, 6]

  // MARK: Phases

  func phase(_ code: UInt64, at time: UInt64) {
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

  func suspended(from: UInt64, to: UInt64) {
    if isInBackground, let last = stays.indices.last { stays[last].suspended &+= to &- from }
  }

  // MARK: Tasks and services

  func taskBegins(_ object: UInt32, name: UInt32, budgetNs: UInt64, at time: UInt64) {
    append(&tasks, Task(object: object, name: name, budgetNs: budgetNs, begin: time))
    openTasks.insert(object)
    protect(time)
  }

  func taskEnds(_ object: UInt32, expired: Bool, at time: UInt64) {
    if let at = tasks.lastIndex(where: { $0.object == object && $0.end == nil }) {
      tasks[at].end = time
      tasks[at].isExpired = expired
    }
    openTasks.remove(object)
    protect(time)
  }

  func serviceBegins(_ object: UInt32, name: UInt32, at time: UInt64) {
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

  func serviceEnds(_ object: UInt32, at time: UInt64) {
    for at in services.indices {
      guard services[at].objects.remove(object) != nil else { continue }
      if services[at].objects.isEmpty { services[at].on &+= time &- services[at].since }
      openServices -= 1
    }
    protect(time)
  }

  /// Something changed at `time`: what covers the stay in the background?
  private func protect(_ time: UInt64) {
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
      unprotectedCount += 1
      append(&unprotected, Span(begin: since, end: time))
      unprotectedSince = nil
    } else if isUnprotected, unprotectedSince == nil {
      unprotectedSince = time
    }
  }

  // MARK: The window

  /// What is open at `time` is as if it had begun then.
  func beginWindow(_ time: UInt64) {
    phases = phases.last.map { [PhaseMark(code: $0.code, time: time)] } ?? []
    tasks = tasks.filter { $0.end == nil }
    stays = isInBackground ? stays.suffix(1).map { Stay(begin: $0.begin) } : []
    unprotected = []
    unprotectedTime = 0
    unprotectedCount = 0
    covered = 0
    coveredSince = coveredSince.map { _ in time }
    unprotectedSince = unprotectedSince.map { _ in time }
    for at in services.indices {
      services[at].on = 0
      services[at].starts = UInt64(services[at].objects.count)
      services[at].since = time
    }
  }

  func finish(_ end: UInt64) {
    for at in services.indices {
      if !services[at].objects.isEmpty { services[at].on &+= end &- min(services[at].since, end) }
    }
    if let since = coveredSince { covered &+= end &- min(since, end) }
    if let since = unprotectedSince {
      unprotectedTime &+= end &- min(since, end)
      unprotectedCount += 1
      append(&unprotected, Span(begin: since, end: max(since, end)))
    }
  }
}
