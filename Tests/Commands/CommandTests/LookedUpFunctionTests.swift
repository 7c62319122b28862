import Foundation
import TestSupport
import Testing

/// Programs that look up CoreFoundation's functions by name.
@Suite struct LookedUpFunctionTests {
  /// Returns the path of the toolchain's Foundation.
  private func foundation() throws -> String {
    let found = try Program(
      shell: """
        ls "$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift/linux/libFoundation.so"
        """
    ).run([])
    try #require(found.status == 0, "\(found.errors)")
    return found.output.trimmingCharacters(in: .newlines)
  }

  private static let hasPython = (try? Program(path: "/usr/bin/env").run(["python3", "-c", ""]).status) == 0

  /// CoreFoundation in Python, from the library that the first argument names.
  private static let coreFoundation = """
    import ctypes, sys
    cf = ctypes.CDLL(sys.argv[1])
    p, d = ctypes.c_void_p, ctypes.c_double
    cf.CFRunLoopTimerCreate.restype = cf.CFRunLoopGetCurrent.restype = p
    cf.CFRunLoopTimerCreate.argtypes = [p, d, d, ctypes.c_ulong, ctypes.c_long, p, p]
    cf.CFRunLoopAddTimer.argtypes = [p, p, p]
    cf.CFAbsoluteTimeGetCurrent.restype = d
    cf.CFRunLoopRunInMode.argtypes = [p, d, ctypes.c_bool]
    """

  /// Python's ctypes opens the library itself.
  @Test(.enabled(if: hasPython, "there is no python3"))
  func pythonsTimers() throws {
    let folder = try TemporaryFolder()
    let script = """
      \(Self.coreFoundation)
      cf.CFRunLoopStop.argtypes = [p]
      mode, fires = p.in_dll(cf, "kCFRunLoopDefaultMode"), 0
      def tick(timer, info):
          global fires
          fires += 1
          if fires == 5: cf.CFRunLoopStop(cf.CFRunLoopGetCurrent())
      callout = ctypes.CFUNCTYPE(None, p, p)(tick)
      now = cf.CFAbsoluteTimeGetCurrent()
      timer = cf.CFRunLoopTimerCreate(None, now, 0.001, 0, 0, ctypes.cast(callout, p), None)
      cf.CFRunLoopAddTimer(cf.CFRunLoopGetCurrent(), timer, mode)
      cf.CFRunLoopRunInMode(mode, 60, False)
      print("fires", fires)
      """
    try script.write(toFile: folder.file("timers.py"), atomically: true, encoding: .utf8)
    let run = try Program.rltrace.run(
      [
        "record", "-q", "-o", "out.rltrace", "--", "/usr/bin/env", "python3", folder.file("timers.py"),
        foundation(),
      ],
      folder: folder.path)
    #expect(run.status == 0 && run.output == "fires 5\n", "\(run.errors)")
    let trace = try #require(folder.names.first { $0.hasSuffix(".rltrace") }, "\(folder.names)")
    let result = try Program.rltrace.run(["analyze", folder.file(trace), "--format", "json"])
    let timers = try JSONValues(result.output).list("timers")
    #expect(timers.count == 1 && timers.first?["fired"] as? Int == 5, "\(result.output)")
    // The callout is in no library, so its kind and its creation site name it.
    #expect((timers.first?["name"] as? String)?.hasPrefix("timer from ") == true)
  }

  /// A timer without an available stand-in callout is not in the trace, so its fires are not reported as missed.
  @Test(.enabled(if: hasPython, "there is no python3"))
  func moreCalloutsThanStandIns() throws {
    let folder = try TemporaryFolder()
    let script = """
      \(Self.coreFoundation)
      mode, fires, kept = p.in_dll(cf, "kCFRunLoopDefaultMode"), set(), []
      for number in range(520):
          callout = ctypes.CFUNCTYPE(None, p, p)(lambda timer, info, number=number: fires.add(number))
          kept.append(callout)
          timer = cf.CFRunLoopTimerCreate(
              None, cf.CFAbsoluteTimeGetCurrent(), 0.01, 0, 0, ctypes.cast(callout, p), None)
          cf.CFRunLoopAddTimer(cf.CFRunLoopGetCurrent(), timer, mode)
      while len(fires) < 520: cf.CFRunLoopRunInMode(mode, 0.1, False)
      print("fired", len(fires))
      """
    try script.write(toFile: folder.file("timers.py"), atomically: true, encoding: .utf8)
    let run = try Program.rltrace.run(
      [
        "record", "-q", "-o", "out.rltrace", "--", "/usr/bin/env", "python3", folder.file("timers.py"),
        foundation(),
      ],
      folder: folder.path)
    #expect(run.status == 0 && run.output == "fired 520\n", "\(run.errors)")
    let analysis = try Program.rltrace.run(["analyze", folder.file("out.rltrace"), "--format", "json"])
    let document = try JSONValues(analysis.output)
    let timers = document.list("timers")
    let objects = timers.compactMap { $0["objects"] as? Int }.reduce(0, +)
    let unfired = timers.filter { $0["fired"] as? Int == 0 }
    #expect(objects == 512 && unfired.isEmpty, "\(objects) timers, \(unfired)")
    #expect(analysis.output.contains("recorder can follow"))
  }

  /// dlsym(3) works as it does without the recorder: for the calling library, for missing symbols, and for error
  /// messages.
  @Test func lookupsBehaveAsBefore() throws {
    let folder = try TemporaryFolder()
    let program = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <stdio.h>
      #include <string.h>
      void *next(const char *name);
      int main(int count, char **arguments) {
        (void)count;
        void *library = dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL);
        dlerror();
        void *create = dlsym(library, "CFRunLoopTimerCreate"), *now = dlsym(library, "CFAbsoluteTimeGetCurrent");
        printf("found %d %d, error %d\\n", create != NULL, now != NULL, dlerror() != NULL);
        void *missing = dlsym(library, "CFRunLoopNoSuchThing");
        const char *error = dlerror();
        printf("missing %d, named %d\\n", missing == NULL, error != NULL && strstr(error, "NoSuchThing") != NULL);
        // RTLD_NEXT searches only the libraries after the program, such as the C library.
        printf("next %d\\n", dlsym(RTLD_NEXT, "main") == NULL && dlsym(RTLD_NEXT, "strlen") != NULL);
        dlerror();
        printf("ours %d\\n", dlsym(RTLD_DEFAULT, "next_of_plugin") == NULL);
        dlerror();
        void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
        int (*sees)(void) = (int (*)(void))dlsym(plugin, "plugin_sees_itself");
        printf("plugin %d\\n", sees != NULL && sees());
        return 0;
      }
      """
    let plugin = """
      #include <dlfcn.h>
      #include <stddef.h>
      int plugin_sees_itself(void) { return dlsym(RTLD_DEFAULT, "plugin_sees_itself") != NULL; }
      """
    try program.write(toFile: folder.file("main.c"), atomically: true, encoding: .utf8)
    try plugin.write(toFile: folder.file("plugin.c"), atomically: true, encoding: .utf8)
    let built = try Program(
      shell: "clang -shared -fPIC -o plugin.so plugin.c && clang -rdynamic -o lookups main.c -ldl"
    ).run([], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    let plain = try Program(path: folder.file("lookups")).run([foundation()], folder: folder.path)
    let recorded = try Program.rltrace.run(
      ["record", "-q", "--", "./lookups", foundation()], folder: folder.path)
    #expect(plain.output.hasPrefix("found 1 1, error 0\nmissing 1, named 1\nnext 1\nours 1\n"))
    #expect(recorded.output == plain.output, "\(recorded.errors)")
  }

  /// The library depends only on the C library, and exports only the functions that it replaces.
  @Test func dependenciesAndExportsOfTheLibrary() throws {
    let library = URL(fileURLWithPath: Program.rltrace.path).deletingLastPathComponent()
      .appendingPathComponent("librltrace-preload.so").path
    let symbols = try Program(
      shell: "nm -D --defined-only \"$0\" | awk '$2 == \"T\" { print $3 }'; readelf -d \"$0\" | grep NEEDED"
    ).run([library])
    try #require(symbols.status == 0, "\(symbols.errors)")
    let lines = symbols.output.split(separator: "\n")
    let needed = lines.filter { $0.contains("NEEDED") }
    #expect(needed.allSatisfy { $0.contains("[libc.so") || $0.contains("[ld-linux") }, "\(needed)")
    let names = lines.filter { !$0.contains("NEEDED") }
    let families = ["CF", "dispatch_", "rltrace_", "exec", "posix_spawn", "swift_"]
    let others = names.filter { name in !families.contains { name.hasPrefix($0) } }
    #expect(
      Set(others).subtracting([
        "_dispatch_main_queue_callback_4CF", "dlsym", "fexecve", "vfork", "fork", "_exit", "_Exit",
        "sigaction", "_CFRunLoopFinished", "wait", "wait3", "wait4", "waitid", "waitpid",
        "setrlimit", "setrlimit64", "prlimit", "prlimit64", "mlockall", "munlockall",
        // Waits of event loops, and the calls that make, use and close their descriptors.
        "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "__poll_chk", "ppoll",
        "__ppoll_chk",
        "select", "pselect", "read", "__read_chk", "readv", "recv", "__recv_chk", "recvfrom",
        "__recvfrom_chk",
        "recvmsg", "recvmmsg", "write", "writev", "send", "sendto", "sendmsg", "eventfd_write", "accept",
        "accept4", "eventfd", "timerfd_create", "timerfd_settime", "pipe", "pipe2", "socketpair", "dup2",
        "dup3",
        "close", "closefrom", "close_range", "fclose",
        // Signal stacks and filters of system calls.
        "sigaltstack", "prctl", "syscall",
      ]).isEmpty, "\(others)")
    #expect(names.count > 40)
  }
}
