import Foundation
import SystemSupport
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceRecorder

private enum Valgrind {
  static let path = "/usr/bin/valgrind"
  static let isInstalled = FileManager.default.isExecutableFile(atPath: path)
}

/// Recordings on a faulty machine, or with interference from other processes. The program runs as it would
/// without rltrace, stored events are readable, and losses are reported.
@Suite(.ownThread, .optimizedBuild) struct FaultTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a script in its own namespaces, where it may mount a small disk and drop the privileges that it has there.
  private func confined(_ script: String) throws -> Program.Result {
    try Program(path: "/usr/bin/env").run(
      ["unshare", "-Urm", "bash", "-c", script, Program.rltrace.path, Program.loopPrograms.path],
      folder: folder.path)
  }

  /// Waits until the recorder has written a part of the trace.
  static let waitForPart = """
    for i in $(seq 500); do [ $(stat -c %s t.rltrace.part 2>/dev/null || echo 0) -gt 2000 ] && break; sleep 0.02; done
    """

  private func reader(_ name: String) throws -> TraceReader {
    try openTrace(path: folder.file(name))
  }

  private func events(_ name: String) throws -> UInt64 { try reader(name).eventCount }

  /// The spool alone takes most of the disk. Events that do not fit are lost, and the loss is always reported.
  @Test func aDiskWithHardlyAnyRoom() throws {
    let result = try confined(
      """
      mkdir disk && mount -t tmpfs -o size=140k none disk && cd disk || exit 99
      "$0" record -q -o t.rltrace -- "$1" timers 400; status=$?
      cp t.rltrace .. && ls; exit $status
      """)
    #expect(result.status == 74 && result.output == "fires 400\nt.rltrace\n", "\(result)")
    #expect(
      result.errorLines.count <= 2 && result.errors.contains("the disk had no room for "), "\(result.errors)")
    #expect(try events("t.rltrace") > 0)
    let facts = try TraceAnalyzer(reader("t.rltrace")).analyze().trace
    #expect(facts.lostToFullDisk > 0 && facts.lostToFullDisk <= facts.lostEvents, "\(facts)")
  }

  /// This spool has no recorder: it keeps the events that it has room for, and counts the rest.
  @Test func aDiskWithHardlyAnyRoomForASpoolAlone() throws {
    let result = try confined(
      """
      mkdir disk && mount -t tmpfs -o size=700k none disk && cd disk || exit 99
      env $("$0" record --print-env -o a.rltrace) "$1" timers 6000
      "$0" recover -o ../t.rltrace a.rltrace.spool
      """)
    #expect(result.status == 0 && result.output == "fires 6000\n", "\(result)")
    #expect(result.errorLines.count == 1 && !result.errors.contains(" 0 lost"), "\(result)")
    #expect(try events("t.rltrace") > 10_000)
  }

  /// The disk is full when the recording ends. The written and the waiting events stay, and become a trace once there
  /// is room.
  @Test func aDiskThatStaysFull() throws {
    let result = try confined(
      """
      mkdir disk && mount -t tmpfs -o size=6m none disk && cd disk || exit 99
      "$0" record -q -o t.rltrace -- "$1" timers 3000 & recorder=$!
      \(FaultTests.waitForPart)
      dd if=/dev/zero of=filler bs=1k count=20000 2>/dev/null; wait $recorder; echo status $?
      rm filler; "$0" recover t.rltrace.spool && ls && cp *.rltrace ..
      """)
    #expect(result.status == 0 && result.output == "fires 3000\nstatus 74\nt.rltrace\n", "\(result)")
    #expect(
      result.errors.contains("No space left on device; the recording is kept: free disk space"), "\(result)")
    #expect(try events("t.rltrace") > 9000)
  }

  /// The disk is full for a while: stored events wait in the rings.
  @Test func aDiskThatIsFullForAWhile() throws {
    let result = try confined(
      """
      mkdir disk && mount -t tmpfs -o size=6m none disk && cd disk || exit 99
      "$0" record -q -o t.rltrace -- "$1" timers 3000 & recorder=$!
      \(FaultTests.waitForPart)
      dd if=/dev/zero of=filler bs=1k count=20000 2>/dev/null; sleep 0.3; rm filler
      wait $recorder; echo status $?; cp t.rltrace ..
      """)
    #expect(result.output.hasPrefix("fires 3000\nstatus "), "\(result)")
    #expect(try events("t.rltrace") > 9000)
  }

  /// Programs that restrict themselves before they first run a loop are recorded all the same.
  @Test(arguments: ["root", "memory", "descriptors", "size"])
  func aConfinedProgram(way: String) throws {
    let result = try confined("\"$0\" record -o t.rltrace -- \"$1\" confined \(way) 100")
    #expect(result.status == 0 && result.output == "fires 100\n", "\(result)")
    #expect(try events("t.rltrace") > 500, "\(result.errors)")
  }

  /// A program that limits or locks its memory gets back what the recording does not use.
  @Test(arguments: ["memory-100", "memory-400", "locked"])
  func aProgramThatNeedsItsMemory(way: String) throws {
    let line = "exec timeout 60 '\(Program.loopPrograms.path)' confined \(way) 100"
    let run = try RecordedProgram(Program(shell: line), options: ["--allow-empty"])
    let plain = try run.plain
    #expect(run.recorded.status == plain.status && run.recorded.output == plain.output, "\(run.recorded)")
    guard way != "memory-100", plain.status == 0 else { return }
    #expect(try openTrace(path: run.trace).eventCount > 500)
  }

  /// The recorder takes a quarter of what is left to it as well.
  @Test(arguments: [200_000, 300_000, 500_000]) func aLimitAroundTheRecorder(kilobytes: Int) throws {
    let result = try folder.shell(
      "ulimit -v \(kilobytes); exec \"$0\" record -o t.rltrace -- \"$1\" timers 5")
    #expect(result.status == 0, "\(result)")
    #expect(try events("t.rltrace") > 10, "\(result.errors)")
  }

  /// Valgrind cannot run the recorder, which leaves the program alone and reports that.
  @Test(.enabled(if: Valgrind.isInstalled, "valgrind is not installed")) func aProgramInValgrind() throws {
    let result = try Program.rltrace.run(
      [
        "record", "-o", "t.rltrace", "--", Valgrind.path, "-q", Program.loopPrograms.path, "confined", "size",
        "3",
      ],
      folder: folder.path)
    #expect(result.output == "fires 3\n", "\(result)")
    #expect(result.errors.contains("valgrind, where rltrace leaves programs alone"), "\(result.errors)")
  }

  /// The kernel kills a process that calls madvise, so the recorder allocates memory before it is needed.
  @Test func aFilterOfSystemCalls() throws {
    let filter = """
      import ctypes, os, struct, sys
      code = [(0x20, 0, 0, 0), (0x15, 0, 1, {'x86_64': 28, 'aarch64': 233}[os.uname().machine]),
              (6, 0, 0, 0x80000000), (6, 0, 0, 0x7fff0000)]
      program = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *line) for line in code))
      class Filter(ctypes.Structure):
          _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]
      filter = Filter(len(code), ctypes.cast(program, ctypes.c_void_p))
      libc = ctypes.CDLL(None)
      assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(filter), 0, 0) == 0
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let result = try Program.rltrace.run(
      [
        "record", "-o", "t.rltrace", "--", "python3", "-c", filter, Program.loopPrograms.path, "timers",
        "200",
      ],
      folder: folder.path)
    #expect(result.status == 0 && result.output == "fires 200\n", "\(result)")
    #expect(try events("t.rltrace") > 1000)
  }

  /// Another process truncates the spool while the program and the recorder have it mapped.
  @Test(arguments: [0, 4096, 300_000, 18_000_000])
  func aSpoolThatIsCut(bytes: Int) throws {
    let result = try folder.shell(
      """
      "$0" record -o t.rltrace -- "$1" timers 3000 & recorder=$!
      \(FaultTests.waitForPart)
      truncate -s \(bytes) t.rltrace.spool; wait $recorder; echo status $?
      """)
    #expect(result.output == "fires 3000\nstatus 74\n", "\(result)")
    #expect(
      result.errors.contains("another process truncated ")
        && result.errors.contains("an unknown number lost"), "\(result)"
    )
    #expect(!result.errors.contains("no run loop"), "\(result)")
    // The trace ends where the spool was cut, and contains only stored events.
    #expect(folder.names == ["t.rltrace"])
    let reader = try openTrace(path: folder.file("t.rltrace"))
    let events = try reader.allEvents().joined()
    #expect(
      events.contains { $0.kind == EventKind.timerBegin.rawValue } && events.allSatisfy { $0.kind != 0 })
    #expect(reader.info.contains { $0.key == InfoEntry.endUnknown })
    #expect(try Program.rltrace.run(["validate", "t.rltrace"], folder: folder.path).status == 0)
  }

  /// The recorder handles SIGBUS for the spool. The program's own handling must stay the same.
  @Test(arguments: ["sent", "touched"])
  func aSignalOfTheProgram(way: String) throws {
    let result = try folder.shell(
      """
      export SWIFT_BACKTRACE=enable=no
      "$1" bus-error \(way) >plain; echo status $? >>plain
      "$0" record -q -o t.rltrace -- "$1" bus-error \(way) >recorded; echo status $? >>recorded
      cat plain; diff plain recorded
      """)
    let said = "fires 1\nsignal 7, sent: true, masked: true\nhandled\nstatus 135\n"
    #expect(result.status == 0 && result.output == said, "\(result)")
  }

  /// Another process removes the part, or gives its name to another file. The trace is complete, and the other file
  /// stays.
  @Test(arguments: [
    ("rm t.rltrace.part", "t.rltrace\n"),
    ("echo mine >x; mv x t.rltrace.part", "mine\nt.rltrace\nt.rltrace.part\n"),
  ])
  func aPartThatAnotherProcessTakes(by taking: String, leaves left: String) throws {
    let result = try folder.shell(
      """
      "$0" record -q -o t.rltrace -- "$1" timers 3000 & recorder=$!
      \(FaultTests.waitForPart)
      \(taking); wait $recorder || exit
      cat t.rltrace.part 2>/dev/null; ls
      """)
    #expect(result.status == 0 && result.output == "fires 3000\n" + left, "\(result)")
    #expect(try folder.fires("t.rltrace") == 3000)
  }

  /// The spool is in the moved folder, and can be recovered there.
  @Test func aFolderThatIsMoved() throws {
    let result = try folder.shell(
      """
      mkdir here; (cd here; "$0" record -q -o t.rltrace -- "$1" timers 3000) & recorder=$!
      cd here; \(FaultTests.waitForPart)
      mv ../here ../there; wait $recorder; echo status $?; "$0" recover t.rltrace.spool; ls
      """)
    #expect(result.output == "fires 3000\nstatus 74\nt.rltrace\n", "\(result)")
    #expect(
      result.errorLines.count == 3 && result.errors.contains("another process moved or removed "), "\(result)"
    )
    #expect(try folder.fires("there/t.rltrace") == 3000)
  }

  /// The spool is removed before the program first runs a loop. The program cannot be recorded, and the message
  /// reports that.
  @Test func aSpoolThatIsRemoved() throws {
    let result = try Program.rltrace.run(
      [
        "record", "-q", "-o", "t.rltrace", "--", "bash", "-c", "rm *.spool; \"$0\" timers 5; exit 0",
        Program.loopPrograms.path,
      ],
      folder: folder.path)
    #expect(result.status == 66 && result.output == "fires 5\n" && folder.names.isEmpty, "\(result)")
    #expect(
      result.errorLines.count == 1 && result.errors.contains("another process moved or removed "), "\(result)"
    )
  }

  /// A program in another user namespace cannot open the spool, so it is not recorded.
  @Test func aProgramThatCannotOpenTheSpool() throws {
    let result = try confined(
      """
      "$0" record -q -o t.rltrace -- bash -c 'chmod 0 t.rltrace.spool; unshare -U "$0" timers 5; exit 0' "$1"
      """)
    #expect(result.status == 66 && result.output == "fires 5\n" && folder.names.isEmpty, "\(result)")
    #expect(result.errors.contains("a program that cannot open "), "\(result)")
  }

  /// One of two programs cannot open its spool. The trace of the other one does not show that, so the message does.
  @Test func aFurtherProgramThatCannotOpenItsSpool() throws {
    let result = try confined(
      """
      mkdir root && mount --rbind / root && mount -t tmpfs none "root$PWD" || exit 99
      "$0" record -q -o t.rltrace -- bash -c 'chroot root "$0" timers 5; "$0" timers 6; exit 0' "$1"
      """)
    #expect(result.status == 0 && result.output == "fires 5\nfires 6\n", "\(result)")
    #expect(
      result.errorLines.count == 1 && result.errors.contains("with which it cannot open its spool"),
      "\(result)")
  }

  /// The loader of a program would report that it cannot find the library.
  @Test func aRootWithoutTheLibrary() throws {
    let result = try confined(
      """
      mkdir root && mount --rbind / root && mount -t tmpfs none "root${0%/*}" || exit 99
      "$0" record -q --allow-empty -o t.rltrace -- bash -c 'chroot root /bin/true; exit $?'
      """)
    #expect(result.status == 0 && !result.errors.contains("LD_PRELOAD"), "\(result)")
  }

  /// The recording does not begin.
  @Test func aFolderThatIsReadOnly() throws {
    let result = try confined(
      """
      mkdir disk && mount -t tmpfs -o ro none disk && cd disk || exit 99
      "$0" record -o t.rltrace -- "$1" timers 5
      """)
    #expect(result.status == 73 && result.output.isEmpty && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.contains("Read-only file system"), "\(result)")
  }

  /// Runs a script in a folder like /tmp, where only the owner of a file may remove it. Only root can give a file to
  /// another user.
  private func beside(_ theirs: String, _ script: String) throws -> Program.Result {
    try folder.shell(
      """
      mkdir sticky && (cd sticky && \(theirs)) && chown -R 65534 sticky && chmod 1777 sticky || exit 99
      exec timeout 10 unshare -Urm bash -c '
        ls sticky >before; cd sticky; '\(ShellWords.line([script]))'; status=$?; cd ..
        ls sticky | cmp - before >&2; exit $status' "$0" "$1"
      """, SampleTraces.virtual("starvation-common"))
  }

  /// A file that cannot be replaced is reported before the recording begins. Everything stays as it was.
  @Test(
    .enabled(if: getuid() == 0),
    arguments: [
      (": >t.rltrace.part && chmod 644 *", "", "t.rltrace.part cannot be removed: Operation not permitted"),
      (": >t.rltrace.part && chmod 600 *", "", "t.rltrace.part cannot be opened: Permission denied"),
      ("cp \"$2\" t.rltrace && chmod 644 *", "", "it cannot be renamed: Operation not permitted"),
      ("cp \"$2\" t.rltrace && chmod 600 *", "", "it cannot be opened: Permission denied"),
      (": >t.rltrace && chmod 644 *", "", "it cannot be renamed: Operation not permitted"),
      (
        "cp \"$2\" t.rltrace.segment3 && chmod 644 *", "--max-size 64K",
        "t.rltrace.segment3 cannot be removed"
      ),
      (": >t.rltrace.segment3.part && chmod 644 *", "--max-size 64K", "segment3.part cannot be removed"),
    ])
  func aFileOfAnotherUser(theirs: String, options: String, reason: String) throws {
    let result = try beside(theirs, "\"$0\" record -o t.rltrace \(options) -- \"$1\" timers 5")
    #expect(result.status == 73 && result.output.isEmpty && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.contains(reason) && !result.errors.contains("kept"), "\(result)")
  }

  @Test(.enabled(if: getuid() == 0), arguments: [("t.rltrace", "renamed"), ("t.rltrace.part", "removed")])
  func aFileOfAnotherUserAndAScenario(name: String, what: String) throws {
    let result = try beside(
      "cp \"$2\" \(name) && chmod 644 *",
      "\"$0\" record -o t.rltrace --scenario timer-starvation --virtual")
    #expect(result.status == 73 && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.contains("cannot be \(what): Operation not permitted"), "\(result)")
  }

  /// The spool stays, and the message contains a command to recover it.
  @Test(.enabled(if: getuid() == 0)) func recoveryBesideAFileOfAnotherUser() throws {
    let made = try folder.shell(
      "env $(\"$0\" record --print-env -o s.rltrace | sed s/slots=[0-9]*/slots=4096/) \"$1\" timers 5")
    try #require(made.status == 0, "\(made)")
    let result = try beside(
      ": >t.rltrace.part && chmod 644 *", "\"$0\" recover ../s.rltrace.spool -o t.rltrace")
    #expect(result.status == 73 && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.contains("`rltrace recover ../s.rltrace.spool -o FILE`"), "\(result)")
    #expect(folder.names.contains("s.rltrace.spool"))
  }

  /// The names of segments are taken for a while, or until the end. Events wait until the names are free.
  @Test(arguments: [false, true])
  func segmentsWhoseNamesAreTaken(untilTheEnd: Bool) throws {
    let freeing = untilTheEnd ? ":" : "(sleep 0.9; rmdir t.rltrace.segment{20..60}) &"
    let result = try folder.shell(
      """
      "$0" record -q -o t.rltrace --flight-recorder 0.1 -- bash -c '
        mkdir t.rltrace.segment{20..60}; \(freeing)
        exec "$0" timers \(untilTheEnd ? 1200 : 1600)' "$1"
      echo status $?; rmdir t.rltrace.segment{20..60} 2>/dev/null && "$0" recover t.rltrace.spool; ls
      """)
    #expect(
      result.output == "fires \(untilTheEnd ? "1200\nstatus 73" : "1600\nstatus 0")\nt.rltrace\n", "\(result)"
    )
    if untilTheEnd {
      #expect(
        result.errors.contains("segment20: it is a folder; the recording is kept: ")
          && result.errors.contains("`rltrace recover "), "\(result)")
    } else {
      #expect(result.errors.isEmpty, "\(result)")
    }
    #expect(try folder.fires("t.rltrace") > 0)
  }

  /// No thread can have such a large stack.
  @Test func aSystemWithoutThreads() throws {
    let result = try folder.shell(
      "ulimit -s 200000000000 || exit 99; exec \"$0\" record -o t.rltrace -- \"$1\" timers 5")
    #expect(result.status == 74 && result.output.isEmpty && result.errorLines.count == 1, "\(result)")
    #expect(result.errors.contains("cannot start a thread of the recorder: "), "\(result)")
    #expect(folder.names.isEmpty)
  }

  /// A recording needs neither standard streams, in the recorder or in the program, nor named shared memory.
  @Test(arguments: ["exec 0<&-", "exec 0<&- 1>&- 2>&-", "mount -t tmpfs -o ro,mode=000 none /dev/shm"])
  func without(_ preparation: String) throws {
    let result = try confined(
      """
      \(preparation) || exit 99
      "$0" record -q -o t.rltrace -- bash -c '"$0" timers 100 >out; ls -l /proc/$$/fd >descriptors; exit 0' "$1"
      """)
    #expect(result.status == 0 && result.output.isEmpty, "\(result)")
    #expect(try folder.fires("t.rltrace") == 100)
    let descriptors = try String(contentsOfFile: folder.file("descriptors"), encoding: .utf8)
    #expect(!descriptors.contains("rltrace."), "\(descriptors)")
  }

  /// A library that the user preloads is loaded into the program, and the variable keeps its value.
  @Test func aLibraryOfTheUser() throws {
    let result = try folder.shell(
      """
      library=$(ldd "$0" | sed -n 's/.* => \\(.*libstdc[+][+][.]so[^ ]*\\) .*/\\1/p'); [ -n "$library" ] || exit 99
      LD_PRELOAD=$library "$0" record -q -o t.rltrace -- bash -c '
        echo $LD_PRELOAD; grep -c libstdc /proc/$$/maps; exec "$0" timers 100' "$1" >out; status=$?
      [ "$(head -1 out)" = "$library" ] && [ "$(sed -n 2p out)" -gt 0 ] && exit $status
      """)
    #expect(result.status == 0, "\(result) \(folder.names)")
    #expect(try folder.fires("t.rltrace") == 100)
  }

  /// More children than can register at once get their places one after another, and leave no files behind.
  @Test func manyChildren() throws {
    let result = try folder.shell(
      """
      "$0" record -q -o t.rltrace -- bash -c '
        for i in $(seq 6); do for k in $(seq 10); do "$0" timers 2 & done; wait; done >/dev/null' "$1"
      """)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    #expect(
      folder.names.count == 60 && folder.names.allSatisfy { $0.hasSuffix(".rltrace") }, "\(folder.names)")
  }

  /// The recorder does not use the spool of an earlier process with the same ID.
  @Test func aSpoolOfAnEarlierProcessOfThatNumber() throws {
    _ = try Spool(
      creating: folder.file("stale"), slotsPerRing: 1 << 10, flags: 0, timeUnit: .ns10, recording: 7)
    let result = try folder.shell(
      """
      "$0" record -q -o t.rltrace -- bash -c '
        bash -c "cp stale t.\\$BASHPID.rltrace.spool; exec $0 timers 5"; exit 0' "$1"
      """)
    #expect(result.status == 0 && result.output == "fires 5\n", "\(result)")
    let trace = try #require(folder.names.first { $0.hasSuffix(".rltrace") })
    #expect(try events(trace) > 20, "\(folder.names)")
  }
}
