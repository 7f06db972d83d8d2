extension Duration {
    /// The duration in seconds for people, with one digit after the decimal point.
    package var inTenths: String {
        let tenths = Int((self / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(abs(tenths) % 10) s"
    }
}
