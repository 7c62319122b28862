import CRLTraceShims
import Foundation
import ProgramRecorder
import Symbolication
import SystemSupport
import TextReport
import TraceExchange
import TraceFormat
import TraceImport
import TraceRecorder
import TraceResults

/// The checks of `rltrace doctor`: this system, the current folder and a program.
enum DoctorChecks {
  /// `program`: a command to examine; nil = none.
  static func all(program: String?) -> [DoctorCheck] {
    var checks = [system, library]
    if let program { checks.append(examined(program)) }
    checks += [limits, folder]
    #if os(Linux)
    checks += [calls, causes]
    #endif
    return checks + [lineReader, libraries]
  }

  /// Something found, and the consequence and remedy if something is missing.
  private struct Part {
    let found: String
    let advice: String?

    /// `advice`: for the case that something is missing.
    init(_ found: String, isMissing: Bool = false, _ advice: String = "") {
      self.found = found
      self.advice = isMissing ? advice : nil
    }
  }

  /// Returns a check that is limited if something is missing in a part of it.
  private static func check(_ name: String, _ parts: [Part]) -> DoctorCheck {
    let advice = parts.compactMap(\.advice)
    return DoctorCheck(
      name, advice.isEmpty ? .ok : .limited, parts.map(\.found).joined(separator: "; "),
      advice: advice.isEmpty ? nil : advice.joined(separator: ". "))
  }

  /// Returns a check that is limited if something is missing; `advice` is for that case.
  private static func check(_ name: String, _ found: String, isMissing: Bool, _ advice: String) -> DoctorCheck
  {
    check(name, [Part(found, isMissing: isMissing, advice)])
  }

  // MARK: The system

  private static var system: DoctorCheck {
    let filter = filterMode.map { $0 == "0" ? "" : ", system calls filtered (seccomp mode \($0))" } ?? ""
    let facts = "\(RecordingFacts.system), \(RecordingFacts.machine)\(cLibrary)\(filter)"
    return DoctorCheck("system", .ok, "\(facts); \(rltraceVersion)")
  }

  /// The name and version of the C library, after a comma; empty if they are not known.
  private static var cLibrary: String {
    #if canImport(Glibc)
    var name = [CChar](repeating: 0, count: 64)
    guard confstr(Int32(_CS_GNU_LIBC_VERSION), &name, name.count) > 0 else { return "" }
    return ", " + String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #else
    return ""
    #endif
  }

  /// The kernel's number of the way in which it filters the system calls of this process; nil = not known.
  private static var filterMode: Substring? {
    let lines = (Files.text("/proc/self/status", atMost: 1 << 14) ?? "").split(separator: "\n")
    return lines.first { $0.hasPrefix("Seccomp:") }?.split(whereSeparator: \.isWhitespace).last
  }

  private static var limits: DoctorCheck {
    let group = ControlGroup()
    return check("limits", [processors(group), memory(group)])
  }

  private static func processors(_ group: ControlGroup) -> Part {
    let count = Int(rlt_usable_processors())
    let limit = group.processors.map { " (a cgroup allows the time of \(Units.significant($0)))" }
    return Part(
      Phrase.count(count, "processor", "processors") + (limit ?? ""),
      isMissing: min(Double(count), group.processors ?? .infinity) < 2,
      "the recorder takes its time from the program; allow two processors")
  }

  private static func memory(_ group: ControlGroup) -> Part {
    let needed = UInt64(ReadingLimits.residentBytes)
    let limit = group.memoryBytes.map { "a cgroup allows \(Units.bytes($0)) of memory" }
    let addresses = rlt_free_address_space(0)
    let room = addresses == .max ? "" : "; \(Units.bytes(addresses)) of address space are left (ulimit -v)"
    return Part(
      (limit ?? "no cgroup limits memory") + room, isMissing: (group.memoryBytes ?? .max) < needed,
      "commands that read a trace may need \(Units.bytes(needed)); raise the limit, or read traces elsewhere")
  }

  private static var folder: DoctorCheck {
    let path = FileManager.default.currentDirectoryPath
    let type = Mount.holding(path).map { " on \($0.type)" } ?? ""
    let room = DiskRoom.bytes(in: ".").map { ", \(Units.bytes($0)) free" } ?? ""
    let place = Part(
      path + type + room, isMissing: access(".", W_OK | X_OK) != 0,
      "a trace cannot be created in this folder; name another place with -o")
    return check("folder", [place, rings])
  }

  private static var rings: Part {
    let usual = RecordingOptions().slotsPerRing
    let slots = DiskRoom.slotsPerRing(usual, in: ".")
    return Part(
      "room for rings of \(slots) events", isMissing: slots < usual,
      "bursts of more events may be lost; for \(usual), free disk space or raise the limit of the address space"
    )
  }

  // MARK: Recording

  private static var library: DoctorCheck {
    guard let library = PreloadLibrary.find(environment: ProcessInfo.processInfo.environment) else {
      return DoctorCheck(
        "recorder library", .missing, "no \(PreloadLibrary.fileName)", advice: PreloadLibrary.advice,
        isNeeded: true)
    }
    return DoctorCheck("recorder library", .ok, library.path, isNeeded: true)
  }

  private static func examined(_ command: String) -> DoctorCheck {
    let searchPath = getenv("PATH").map { SystemText(cString: $0) }
    let file: SystemText
    do throws(LaunchError) {
      file = try ProgramFile.find(SystemText(command), searchPath: searchPath)
    } catch {
      return DoctorCheck(
        "program", .missing, "cannot start \(ShellWords.line([command]))",
        advice: String(cString: strerror(error.code)), isNeeded: true)
    }
    let reason = NoRunReason(command: command, file: file.text, recordsAllQueues: false)
    if let obstacle = reason.beforeStart {
      return DoctorCheck("program", .missing, file.text, advice: obstacle, isNeeded: true)
    }
    let gap = reason.strippedRuntime
    return check("program", file.text, isMissing: gap != nil, gap ?? "")
  }

  private static var calls: DoctorCheck {
    let reading = call(
      "process_vm_readv", works: RecorderAbilities.copiesMemory,
      "stacks end at the innermost function, and holders of locks are not known;")
    let following = call(
      "pidfd_open", works: RecorderAbilities.followsProcesses,
      "it may not be known how children of the program ended; use Linux 5.3 or later, and")
    return check("system calls", [reading, following, Part(withoutEffect)])
  }

  /// `advice` ends where the sentence about the seccomp profile begins.
  private static func call(_ name: String, works: Bool, _ advice: String) -> Part {
    Part(
      "\(name) \(works ? "works" : "is refused")", isMissing: !works,
      "\(advice) allow \(name) in the seccomp profile")
  }

  /// The settings of ptrace and perf events, which the recorder does not use.
  private static var withoutEffect: String {
    let settings = ["yama/ptrace_scope", "perf_event_paranoid"].compactMap { name in
      Files.text("/proc/sys/kernel/\(name)", atMost: 16).map { "\(name) \($0.prefix { !$0.isNewline })" }
    }
    return settings.isEmpty
      ? "ptrace and perf_event are not used" : "no effect: \(settings.joined(separator: ", "))"
  }

  private static var causes: DoctorCheck {
    guard let hidden = RecorderAbilities.hiddenFacts else {
      return check(
        "causes of stalls", "not known: no thread can be started", isMissing: true,
        "a recording needs threads; end other processes, or raise the limit (ulimit -u)")
    }
    let list = hidden.joined(separator: ", ")
    return check(
      "causes of stalls",
      hidden.isEmpty ? "/proc has all facts of threads" : "/proc lacks facts of threads: \(list)",
      isMissing: !hidden.isEmpty,
      "stalls are recorded without these facts; use a kernel and a /proc that have them")
  }

  // MARK: Reading

  private static var lineReader: DoctorCheck {
    guard let path = LLVMSymbolizer.path else {
      return check("files and lines", "no llvm-symbolizer", isMissing: true, LLVMSymbolizer.advice)
    }
    let version = LLVMSymbolizer.version(of: path)
    return check(
      "files and lines", path + (version.map { ", version \($0)" } ?? " does not answer"),
      isMissing: version == nil,
      "functions may have no files and lines; install the package llvm again")
  }

  /// Libraries for single commands.
  private static var libraries: DoctorCheck {
    let obstacles: [(name: String, obstacle: String?)] = [
      ("SQLite", SQLiteExportError.obstacle.map { "\($0)" }),
      ("libxml2", ImportError.obstacle.map { "\($0)" }),
      (CryptoLibrary.name, CryptoLibrary.shared == nil ? CryptoLibrary.advice : nil),
    ]
    let found = obstacles.filter { $0.obstacle == nil }.map { $0.name }.joined(separator: ", ")
    let missing = obstacles.compactMap { $0.obstacle }.joined(separator: ". ")
    return check("other libraries", found.isEmpty ? "none" : found, isMissing: !missing.isEmpty, missing)
  }
}
