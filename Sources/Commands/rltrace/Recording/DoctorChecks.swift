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
    return [system, library] + (program.map { [examined($0)] } ?? [])
      + [processors(group), memory(group), folder, rings] + recorder + [lineReader, libraries]
  }

  // MARK: The system

  private static var system: DoctorCheck {
    let mode = filterMode.map { $0 == "0" ? "" : ", system calls filtered (seccomp mode \($0))" } ?? ""
    return DoctorCheck(
      "system", .ok,
      "\(RecordingFacts.system), \(RecordingFacts.machine)\(cLibrary)\(mode); \(rltraceVersion)")
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
    let usable = min(Double(count), group.processors ?? .infinity)
    let quota = group.processors.map { "; a cgroup limits their time to that of \(Units.significant($0))" }
    return DoctorCheck(
      "processors", usable < 2 ? .limited : .ok,
      Phrase.count(count, "processor", "processors") + (quota ?? ""),
      advice: usable < 2 ? "the recorder takes its time from the program; allow two processors" : nil)
  }

  private static func memory(_ group: ControlGroup) -> DoctorCheck {
    let needed = UInt64(ReadingLimits.residentBytes)
    let addresses = rlt_free_address_space(0)
    let isSmall = group.memoryBytes.map { $0 < needed } ?? false
    return DoctorCheck(
      "memory", isSmall ? .limited : .ok,
      (group.memoryBytes.map { "a cgroup limits it to \(Units.bytes($0))" } ?? "no limit of a cgroup")
        + (addresses == .max ? "" : "; \(Units.bytes(addresses)) of address space are left (ulimit -v)"),
      advice: isSmall
        ? "commands that read a trace may need \(Units.bytes(needed)); raise the limit, or read traces elsewhere"
        : nil)
  }

  private static var folder: DoctorCheck {
    let path = FileManager.default.currentDirectoryPath
    let isWritable = access(".", W_OK | X_OK) == 0
    let room = DiskRoom.bytes(in: ".").map { ", \(Units.bytes($0)) free" } ?? ""
    return DoctorCheck(
      "folder", isWritable ? .ok : .limited,
      path + (Mount.holding(path).map { " on \($0.type)" } ?? "") + room,
      advice: isWritable ? nil : "a trace cannot be created in this folder; name another place with -o")
  }

  private static var rings: DoctorCheck {
    let wanted = RecordingOptions().slotsPerRing
    let slots = DiskRoom.slotsPerRing(wanted, in: ".")
    return DoctorCheck(
      "rings", slots < wanted ? .limited : .ok, "\(slots) events for each thread",
      advice: slots < wanted
        ? "bursts of more events may be lost; free disk space, or raise the limit of the address space (ulimit -v), "
          + "for \(wanted)"
        : nil)
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
    let file: SystemText
    do throws(LaunchError) {
      file = try ProgramFile.find(
        SystemText(command), searchPath: getenv("PATH").map { SystemText(cString: $0) })
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
    return DoctorCheck("program", gap == nil ? .ok : .limited, file.text, advice: gap)
  }

  private static var recorder: [DoctorCheck] {
    #if os(Linux)
    let canCopy = RecorderAbilities.copiesMemory
    let canFollow = RecorderAbilities.followsProcesses
    let hidden = RecorderAbilities.hiddenFacts
    return [
      DoctorCheck(
        "stacks of stalls", canCopy ? .ok : .limited,
        "process_vm_readv \(canCopy ? "works" : "is refused")",
        advice: canCopy
          ? nil
          : "stacks end at the innermost function, and holders of locks are not known; allow this call in the "
            + "seccomp profile"),
      DoctorCheck(
        "causes of stalls", hidden.isEmpty ? .ok : .limited,
        hidden.isEmpty
          ? "/proc has all facts of threads" : "/proc lacks \(hidden.joined(separator: ", ")) of threads",
        advice: hidden.isEmpty
          ? nil : "stalls are recorded without these facts; use a kernel and a /proc that have them"),
      DoctorCheck(
        "ends of children", canFollow ? .ok : .limited, "pidfd_open \(canFollow ? "works" : "is refused")",
        advice: canFollow
          ? nil
          : "it may not be known how children of the program ended; use Linux 5.3 or later, and allow this call in "
            + "the seccomp profile"),
    ]
    #else
    return []
    #endif
  }

  // MARK: Reading

  private static var lineReader: DoctorCheck {
    guard let path = LineReader.path else {
      return DoctorCheck("files and lines", .limited, "no llvm-symbolizer", advice: LineReader.advice)
    }
    guard let version = LineReader.version(of: path) else {
      return DoctorCheck(
        "files and lines", .limited, "\(path) does not answer",
        advice: "functions may have no files and lines; install the package llvm again")
    }
    return DoctorCheck("files and lines", .ok, "\(path), version \(version)")
  }

  /// Libraries for single commands.
  private static var libraries: DoctorCheck {
    let obstacles = [
      SQLiteExportError.obstacle.map { "\($0)" }, ImportError.obstacle.map { "\($0)" },
      CryptoLibrary.shared == nil ? CryptoLibrary.advice : nil,
    ]
    let found = zip(["SQLite", "libxml2", "OpenSSL"], obstacles).filter { $0.1 == nil }.map { $0.0 }
    let missing = obstacles.compactMap(\.self)
    return DoctorCheck(
      "other libraries", missing.isEmpty ? .ok : .limited,
      found.isEmpty ? "none" : found.joined(separator: ", "),
      advice: missing.isEmpty ? nil : missing.joined(separator: ". "))
  }
}
