import CRLTraceShims
import Testing

/// Ids of objects that threads take, renew and release many at a time.
@Suite struct ObjectIDBatchTests {
  @Test func eachObjectHasAnIdOfItsOwn() throws {
    let ids: OpaquePointer = try #require(rlt_ids_make())
    defer { rlt_ids_free(ids) }
    var made = [UInt32](repeating: 0, count: 32)
    #expect(rlt_objects_make(ids, &made, 32) == 32)
    #expect(Set(made).count == 32 && !made.contains(0))
    // A renewed id belongs to another object. The former one no longer exists.
    let next = rlt_object_renew(ids, made[0])
    #expect(next != 0 && !made.contains(next))
    #expect(rlt_object_renew(ids, made[0]) == 0)
    let living = [next] + made.dropFirst()
    rlt_objects_release(ids, living, living.count)
    #expect(living.allSatisfy { rlt_object_renew(ids, $0) == 0 })
    // Slots are used again, with other ids.
    let again = rlt_object_make(ids)
    #expect(again != 0 && !living.contains(again) && !made.contains(again))
  }
}
