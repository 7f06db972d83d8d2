extension Quantity {
    /// The number as a text that does not depend on a language, such as `41.2 %`, `5.3 GiB` or `3 h 12 min`. A time is in UTC.
    public var text: String {
        guard let value else { return "–" }
        return switch kind {
        case .number: Self.decimal(value, places: value == value.rounded() ? 0 : 2)
        case .percent: "\(Self.decimal(value * 100, places: 1)) %"
        case .bytes: Self.bytes(value)
        case .rate: "\(Self.bytes(value))/s"
        case .duration: Self.duration(value)
        case .time: Self.time(value)
        }
    }

    /// Beyond this, a number is written with an exponent.
    private static let largest = 1e15

    private static func decimal(_ value: Double, places: Int) -> String {
        guard abs(value) < largest else { return "\(value)" }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let fraction = "\(scaled % Int64(scale))"
        return "\(sign)\(scaled / Int64(scale)).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
    }

    private static func bytes(_ count: Double) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var value = count
        var unit = 0
        while abs(value) >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(decimal(value, places: unit == 0 ? 0 : 1)) \(units[unit])"
    }

    private static func duration(_ seconds: Double) -> String {
        guard abs(seconds) < largest else { return "\(seconds) s" }
        guard abs(seconds) >= 60 else { return "\(decimal(seconds, places: abs(seconds) < 10 ? 1 : 0)) s" }
        let sign = seconds < 0 ? "-" : ""
        let minutes = Int64(abs(seconds)) / 60
        if minutes < 60 { return "\(sign)\(minutes) min \(Int64(abs(seconds)) % 60) s" }
        if minutes < 24 * 60 { return "\(sign)\(minutes / 60) h \(minutes % 60) min" }
        return "\(sign)\(minutes / (24 * 60)) d \(minutes / 60 % 24) h"
    }

    /// Writes a point in time in UTC, with the calendar of the civil days: https://howardhinnant.github.io/date_algorithms.html
    private static func time(_ seconds: Double) -> String {
        guard abs(seconds) < 1e11 else { return "\(seconds) s since 1970" }
        let second = Int64(seconds.rounded(.down))
        let day = second >= 0 ? second / 86400 : (second - 86399) / 86400
        let ofDay = second - day * 86400
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(year)-\(two(month))-\(two(dayOfMonth)) \(two(ofDay / 3600)):\(two(ofDay / 60 % 60)):\(two(ofDay % 60)) UTC"
    }
}

extension ContentValue {
    /// The value as a text that does not depend on a language; see ``Quantity/text``.
    public var text: String {
        switch self {
        case .text(let text): text
        case .quantity(let quantity): quantity.text
        }
    }
}
