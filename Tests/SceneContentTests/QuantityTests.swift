import SceneContent
import Testing

struct QuantityTests {
    @Test(
        "A quantity is a text that does not depend on a language", .timeLimit(.minutes(5)),
        arguments: [
            (.count(12), "12"), (.number(0.5), "0.50"), (.number(-0.001), "0.00"), (.percent(0.412), "41.2 %"),
            (.size(512), "512 B"), (.size(5_690_831_667), "5.3 GiB"), (.rate(12288), "12.0 KiB/s"),
            (.seconds(3.25), "3.3 s"), (.seconds(75), "1 min 15 s"), (.seconds(11_520), "3 h 12 min"),
            (.seconds(180_000), "2 d 2 h"), (.time(0), "1970-01-01 00:00:00 UTC"),
            (.time(1_795_971_661), "2026-11-29 17:01:01 UTC"), (.time(951_782_400), "2000-02-29 00:00:00 UTC"),
            (.time(-1), "1969-12-31 23:59:59 UTC"), (.percent(nil), "–"), (.number(.infinity), "–"),
            (.number(1e300), "1e+300"),
        ] as [(Quantity, String)])
    func text(quantity: Quantity, text: String) {
        #expect(quantity.text == text)
    }

    @Test("A value is the same after its way over the wire", .timeLimit(.minutes(5)))
    func carried() {
        var values = Quantity.Kind.allCases.flatMap { kind -> [ContentValue] in
            [.quantity(Quantity(1.5, kind)), .quantity(Quantity(nil, kind))]
        }
        values.append("text")
        for value in values { #expect(ContentValue(value.node) == value) }
    }
}
