/// SHA-256 of what the page may run and be styled with, as its content security policy has them. `tools/generate` writes
/// them; a test compares them with sha256sum's.
enum PageHashes {
  static let script = "4qmIID35ZXSisSwNqP5fQLxMmhYoKg+962VW6+J9adI="
  static let style = "Np1uCQJLPIAPWRt4MxMLY6CrsC/c+t5PeEXCrWG8KH4="
}
