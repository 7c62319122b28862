import Symbolication
import TestSupport
import Testing

@Suite struct ShortNameTests {
  @Test(arguments: [
    ("$s5names5ModelC5starty10Foundation5TimerCSiFyAGYbcfU_", "closure #1 in Model.start(_:)"),
    ("$s5names5ModelC5starty10Foundation5TimerCSiFyAGYbcfU_TA.17", "closure #1 in Model.start(_:)"),
    ("$s5names5ModelC5starty10Foundation5TimerCSiF", "Model.start(_:)"),
    ("$s5names5ModelC4tickyy10Foundation5TimerCYbF", "Model.tick(_:)"),
    ("$s5names5ModelCACycfC", "Model.init()"),
    ("$s5names5ModelC1nSivg", "Model.n.getter"),
    ("$s5names7genericy10Foundation5TimerCxs8SendableRzlFyAEYbcfU_SS_TG5TA", "closure #1 in generic(_:)"),
    ("$s5namesy10Foundation5TimerCYbcfU_", "closure #1 in names"),
    ("$s5namesyyYbcfU2_Tm", "closure #4 in names"),
    ("$s5namesySo17CFRunLoopTimerRefaSg_SvSgtcfU1_To", "closure #3 in names"),
    (
      "$s5names5ModelC14startMethodRef10Foundation5TimerCyFyAGYbcACcfu_yAGYbcfu0_TA.18",
      "implicit closure #2 in implicit closure #1 in Model.startMethodRef()"
    ),
    (
      "$sSTsSQ7ElementRpzrlE6starts4withSbqd___tSTRd__AAQyd__ABRSlFs18ReversedCollectionVySsG_AGySSGTg5",
      "Sequence.starts(with:)"
    ),
    (
      "$s7Release7forEachyyys5Int32VXEF031$s7Release7ProgramV4mainyyFZys5D6VXEfU_Tf1c_n", "forEach(_:)"
    ),
    // Parts of async functions.
    (
      "$s2lp4WorkO13mainActorTaskyyYbFZyyYaScMYccfU_TATQ0_", "closure #1 in Work.mainActorTask()"
    ),
    ("$s2lp4WorkO11onMainActoryyYaFZTY0_", "Work.onMainActor()"),
    // C++ functions, and blocks in them.
    ("_ZL15__swift_run_jobPv", "__swift_run_job(void*)"), ("_ZN3foo3barEi", "foo::bar(int)"),
    ("___ZN3foo3barEi_block_invoke_2", "block in foo::bar(int)"), ("_Zwhatever", "_Zwhatever"),
    ("_ZN3foo3barEi.llvm.12690808419476932949", "foo::bar(int)"),
    ("main", "main"), ("__main_block_invoke", "__main_block_invoke"), ("", ""), ("$s", "$s"),
  ])
  func shortNames(symbol: String, expected: String) {
    #expect(ShortName(symbol: symbol).text == expected)
    #expect(!ShortName(symbol: symbol).isThunk)
  }

  /// Names of Rust have no arguments in angle brackets, and no hash.
  @Test(arguments: [
    (
      "_RNvNtNtNtNtCsjrHSEGnQ3l9_3std3sys3pal4unix5futex10futex_wait",
      "std::sys::pal::unix::futex::futex_wait"
    ),
    (
      "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended",
      "std::sys::sync::mutex::futex::Mutex::lock_contended"
    ),
    (
      "_RNvMs3_NtCslNYArtu3iFV_5alloc7raw_vecINtB5_6RawVecPaE8grow_oneCsjrHSEGnQ3l9_3std",
      "alloc::raw_vec::RawVec::grow_one"
    ),
    ("_RINvNtC3std5panic5catchRDINtC4core2FnuEp6OutputlNtB2_4SyncEL_lEB4_", "std::panic::catch"),
    (
      "_RNvXsK_NtCsgEmfK2I1SDS_4core3fmtNtB5_5ErrorNtB5_5Debug3fmt",
      "<core::fmt::Error as core::fmt::Debug>::fmt"
    ),
    ("_RNvYRShNtNtC3std2io5Write9write_all", "<&[u8] as std::io::Write>::write_all"),
    (
      "_RNvXNtC1a1bTmDNtB4_1TEL_FKCjEuENtB4_1Q3run.llvm.12690808419476932949",
      "<(u32, dyn a::T, fn) as a::Q>::run"
    ),
    ("_RNvYAhj4_NtC1a1Q3run", "<[u8] as a::Q>::run"), ("_RINvC1a1fKj1f_KpKVNtB2_1ES1aRe61_EE", "a::f"),
    // Closures are numbered from 0, and follow each other without a separator.
    ("_RNCNCNvNtC3std2rt10lang_start00B5_", "std::rt::lang_start::{closure#0}::{closure#0}"),
    ("_RNCNvC2r24mains_0B3_", "r2::main::{closure#1}"),
    // Earlier compilers.
    ("_ZN2r23Job7receive17h24cf0b4de8a470dcE", "r2::Job::receive"),
    (
      "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17hf100cadaaf78bcbcE.llvm.12690808419476932949",
      "std::rt::lang_start::{{closure}}"
    ),
    (
      "_ZN46_$LT$r1..Store$u20$as$u20$core..fmt..Debug$GT$3fmt17h24cf0b4de8a470dcE",
      "<r1::Store as core::fmt::Debug>::fmt"
    ),
    // Not Rust's.
    ("_RNG_seed", "_RNG_seed"), ("_RNv", "_RNv"), ("_RNvC1", "_RNvC1"), ("_RNvB_1a", "_RNvB_1a"),
    ("_RNvC00", "_RNvC00"),
  ])
  func namesOfRust(symbol: String, expected: String) {
    #expect(ShortName(symbol: symbol).text == expected)
    #expect(BoundedDemangler.isMangled(symbol))
  }

  @Test func thunks() {
    #expect(ShortName(symbol: "$sIeg_IeyB_TR").isThunk)
    // A partial apply of a thunk, and a part of an async one.
    #expect(ShortName(symbol: "$sIg_Ieg_TRTA").isThunk)
    #expect(ShortName(symbol: "$sxIeAgHr_xs5Error_pIegHrzo_s8SendableRzs5NeverORs_r0_lTRTA.161TQ0_").isThunk)
  }

  /// Full names distinguish functions with the same short name.
  @Test func fullNames() {
    let names = [
      "$s5names5ModelC5starty10Foundation5TimerCSiFyAGYbcfU_",
      "$s5names5ModelC5starty10Foundation5TimerCSiFyAGYbcfU_TA.17",
    ]
    .map(ShortName.init)
    #expect(names[0].full == names[1].full && names[0].full != nil)
    #expect(ShortName(symbol: "$s5names5ModelC5startyySSFyycfU_").full != names[0].full)
    #expect(ShortName(symbol: "main").full == nil)
  }

  /// A symbol table may contain any text.
  @Test func randomSymbols() {
    var random = SeededGenerator(named: "randomSymbols")
    let alphabet = Array("$sSyTABCD_0123456789abcFUGgRWOxq<>()->, in of:.@NvIMXYEpK")
    for number in 0..<40_000 {
      let length = Int(random.next() % 60)
      let text =
        (number % 2 == 0 ? "$s" : "_RN")
        + String((0..<length).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
      #expect(ShortName(symbol: text).text.count <= 300, "\(TestSeed.note)")
    }
    #expect(ShortName(symbol: String(repeating: "x", count: 100_000)).text.count == 300)
  }
}
