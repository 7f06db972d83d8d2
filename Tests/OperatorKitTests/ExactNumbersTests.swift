import CBOR
import OperatorKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExactNumbersTests {
    @Test("Whole numbers that readers of JSON would round become texts, at any depth, and others stay numbers")
    func exact() throws {
        let value = try CBORValue(
            json: #"{"a":[9007199254740992,9007199254740993],"b":{"c":-9007199254740993,"d":1.5}}"#)
        #expect(
            value.withExactNumbers.json
                == #"{"a":[9007199254740992,"9007199254740993"],"b":{"c":"-9007199254740993","d":1.5}}"#)
        #expect(CBORValue.unsigned(.max).withExactNumbers == .string("18446744073709551615"))
        #expect(CBORValue.int(.min).withExactNumbers == .string("-9223372036854775808"))
    }
}
