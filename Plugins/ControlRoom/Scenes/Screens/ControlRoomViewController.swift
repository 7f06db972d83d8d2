import CoordinatorKit

/// A screen that shows values of the container.
@MainActor
class ControlRoomViewController: ViewController, NeedsDependency {
    var appDependency: AppDependency? {
        didSet { setNeedsContentUpdate() }
    }
}

/// Formats numbers for people.
enum Format {
    static func percent(_ fraction: Double) -> String {
        "\(decimal(fraction * 100)) %"
    }

    static func bytes(_ count: UInt64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var value = Double(count)
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(unit == 0 ? "\(count)" : decimal(value)) \(units[unit])"
    }

    /// Formats a number with one digit after the decimal point.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "-" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
