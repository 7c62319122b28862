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
    ("main", "main"), ("__main_block_invoke", "__main_block_invoke"), ("", ""), ("$s", "$s"),
  ])
  func shortNames(symbol: String, expected: String) {
    #expect(ShortName(symbol: symbol).text == expected)
    #expect(!ShortName(symbol: symbol).isThunk)
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
    let alphabet = Array("$sSyTABCD_0123456789abcFUGgRWOxq<>()->, in of:.@")
    for _ in 0..<20_000 {
      let length = Int(random.next() % 60)
      let text =
        "$s" + String((0..<length).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
      #expect(ShortName(symbol: text).text.count <= 300, "\(TestSeed.note)")
    }
    #expect(ShortName(symbol: String(repeating: "x", count: 100_000)).text.count == 300)
  }
}
