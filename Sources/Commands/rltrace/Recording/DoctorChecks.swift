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
    let group = ControlGroup()
    var checks = [system, library]
    if let program { checks.append(examined(program)) }
    checks += [processors(group), memory(group), folder, rings]
    #if os(Linux)
    checks += [stacks, causes, ends]
    #endif
    return checks + [lineReader, libraries]
  }

  /// Returns a check that is limited if something is missing; `advice` is for that case.
  private static func check(
    _ name: String, _ found: String, isMissing: Bool, _ advice: @autoclosure () -> String
  ) -> DoctorCheck {
    DoctorCheck(name, isMissing ? .limited : .ok, found, advice: isMissing ? advice() : nil)
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

  private static func processors(_ group: ControlGroup) -> DoctorCheck {
    let count = Int(rlt_usable_processors())
    let limit = group.processors.map { "; a cgroup limits their time to that of \(Units.significant($0))" }
    return check(
      "processors", Phrase.count(count, "processor", "processors") + (limit ?? ""),
      isMissing: min(Double(count), group.processors ?? .infinity) < 2,
      "the recorder takes its time from the program; allow two processors")
  }

  private static func memory(_ group: ControlGroup) -> DoctorCheck {
    let needed = UInt64(ReadingLimits.residentBytes)
    let limit = group.memoryBytes.map { "a cgroup limits it to \(Units.bytes($0))" }
    let addresses = rlt_free_address_space(0)
    let room = addresses == .max ? "" : "; \(Units.bytes(addresses)) of address space are left (ulimit -v)"
    return check(
      "memory", (limit ?? "no limit of a cgroup") + room,
      isMissing: (group.memoryBytes ?? .max) < needed,
      "commands that read a trace may need \(Units.bytes(needed)); raise the limit, or read traces elsewhere")
  }

  private static var folder: DoctorCheck {
    let path = FileManager.default.currentDirectoryPath
    let type = Mount.holding(path).map { " on \($0.type)" } ?? ""
    let room = DiskRoom.bytes(in: ".").map { ", \(Units.bytes($0)) free" } ?? ""
    return check(
      "folder", path + type + room, isMissing: access(".", W_OK | X_OK) != 0,
      "a trace cannot be created in this folder; name another place with -o")
  }

  private static var rings: DoctorCheck {
    let usual = RecordingOptions().slotsPerRing
    let slots = DiskRoom.slotsPerRing(usual, in: ".")
    return check(
      "rings", "\(slots) events for each thread", isMissing: slots < usual,
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

  private static var stacks: DoctorCheck {
    let isRefused = !RecorderAbilities.copiesMemory
    return check(
      "stacks of stalls", "process_vm_readv \(isRefused ? "is refused" : "works")", isMissing: isRefused,
      "stacks end at the innermost function, and holders of locks are not known; allow this call in the seccomp profile"
    )
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

  private static var ends: DoctorCheck {
    let isRefused = !RecorderAbilities.followsProcesses
    return check(
      "ends of children", "pidfd_open \(isRefused ? "is refused" : "works")", isMissing: isRefused,
      "it may not be known how children of the program ended; use Linux 5.3 or later, and allow this call in the "
        + "seccomp profile")
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
      ("OpenSSL", CryptoLibrary.shared == nil ? CryptoLibrary.advice : nil),
    ]
    let found = obstacles.filter { $0.obstacle == nil }.map { $0.name }.joined(separator: ", ")
    let missing = obstacles.compactMap { $0.obstacle }
    return check(
      "other libraries", found.isEmpty ? "none" : found, isMissing: !missing.isEmpty,
      missing.joined(separator: ". "))
  }
}
