import Foundation
import TestSupport
import Testing

/// `rltrace open`, with curl in place of a browser.
@Suite struct OpenCommandTests {
  /// Runs a shell script with the address of the file in `$url`. `$0` is rltrace, `$1` the trace.
  private func open(_ script: String) throws -> (output: String, errors: String, status: Int32) {
    let result = try Program(
      shell: """
        coproc "$0" open "$1" --in speedscope --no-browser --timeout 20s 2>&1
        read -r address <&"${COPROC[0]}"
        url=$(sed 's/.*profileURL=//; s/%3A/:/g; s/%2F/\\//g; s/%2D/-/g; s/%2E/./g' <<<"$address")
        \(script)
        """
    ).run([Program.rltrace.path, SampleTraces.virtual("modes")])
    return (result.output, result.errors, result.status)
  }

  @Test func theViewerGetsTheFileAndTheCommandEnds() throws {
    let result = try open(
      """
      pid=$COPROC_PID
      curl -s -D - -H 'Origin: https://www.speedscope.app' "$url"
      wait "$pid" && echo ended
      """)
    #expect(result.output.contains("Access-Control-Allow-Origin: https://www.speedscope.app"))
    #expect(result.output.contains("file-format-schema.json"))
    #expect(result.output.hasSuffix("ended\n"), "\(result.output.suffix(300)) \(result.errors)")
  }

  /// Another path or host name gets nothing, and the command continues to wait.
  @Test func otherRequestsGetNothing() throws {
    let result = try open(
      """
      pid=$COPROC_PID
      curl -s -o /dev/null -w '%{http_code} ' "${url%/trace}/other"
      curl -s -o /dev/null -w '%{http_code} ' -H 'Host: evil.example' "$url"
      curl -s -o /dev/null -w '%{http_code} ' -X POST "$url"
      curl -s -o /dev/null -w '%{http_code} ' "$url"
      wait "$pid" && echo ended
      """)
    #expect(result.output == "404 404 405 200 ended\n", "\(result.output) \(result.errors)")
  }

  /// Clients that send nothing do not delay the viewer.
  @Test func silentClientsDoNotDelayTheViewer() throws {
    let result = try open(
      """
      pid=$COPROC_PID
      port=$(sed 's/.*127.0.0.1:\\([0-9]*\\).*/\\1/' <<<"$url")
      for i in 1 2 3 4 5 6; do exec {silent}<>"/dev/tcp/127.0.0.1/$port"; done
      curl -s -m 3 -o /dev/null -w '%{http_code} ' "$url"
      wait "$pid" && echo ended
      """)
    #expect(result.output == "200 ended\n", "\(result.output) \(result.errors)")
  }

  /// A client that sends its request byte by byte does not prolong the time limit.
  @Test func aSlowClientDoesNotProlongTheLimit() throws {
    let result = try Program(
      shell: """
        coproc "$0" open "$1" --in speedscope --no-browser --timeout 1s 2>&1
        pid=$COPROC_PID
        read -r address <&"${COPROC[0]}"
        port=$(sed 's/.*127.0.0.1%3A\\([0-9]*\\).*/\\1/' <<<"$address")
        exec {slow}<>"/dev/tcp/127.0.0.1/$port"
        for i in $(seq 200); do
          kill -0 "$pid" 2>/dev/null || break
          printf G 2>/dev/null >&"$slow"
          sleep 0.1
        done
        [ "$i" -lt 200 ] && wait "$pid" || echo "status $?"
        """
    ).run([Program.rltrace.path, SampleTraces.virtual("modes")])
    #expect(result.output == "status 69\n", "\(result.output) \(result.errors)")
  }

  /// Other users see the address among the arguments of the browser. It does not serve them.
  @Test(.enabled(if: getuid() == 0, "needs root, to become another user"))
  func anotherUserGetsNothing() throws {
    let result = try open(
      """
      pid=$COPROC_PID
      setpriv --reuid 65534 --clear-groups curl -s -m 3 -o /dev/null -w '%{http_code} ' "$url"
      curl -s -o /dev/null -w '%{http_code} ' "$url"
      wait "$pid" && echo ended
      """)
    #expect(result.output == "000 200 ended\n", "\(result.output) \(result.errors)")
  }

  @Test func aMissingViewerIsReported() throws {
    let result = try Program.rltrace.run([
      "open", SampleTraces.virtual("modes"), "--in", "firefox", "--no-browser", "--timeout", "50ms",
    ])
    #expect(result.status == 69)
    #expect(result.output.hasPrefix("https://profiler.firefox.com/from-url/http%3A%2F%2F127.0.0.1%3A"))
    #expect(result.errorLines.count == 1)
  }

  @Test func theReportIsAFile() throws {
    let folder = try TemporaryFolder()
    let result = try Program(shell: "TMPDIR=$1 \"$0\" open \"$2\" --no-browser").run([
      Program.rltrace.path, folder.path, SampleTraces.virtual("modes"),
    ])
    #expect(result.status == 0, "\(result.errors)")
    let path = result.output.replacingOccurrences(of: "file://", with: "").trimmingCharacters(in: .newlines)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<!"))
    // Only the user can read it.
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}
