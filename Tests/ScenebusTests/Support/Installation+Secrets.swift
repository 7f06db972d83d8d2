extension Installation {
    /// Returns an argument that reads a field's value from a file.
    func secret(_ name: String, _ value: String) throws -> String {
        "\(name)@\(try write(value + "\n", to: "secrets/\(value)", mode: 0o600))"
    }
}
