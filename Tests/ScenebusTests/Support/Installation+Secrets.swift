extension Installation {
    /// An argument that gives a field's value with a file.
    func secret(_ name: String, _ value: String) throws -> String {
        "\(name)@\(try write(value + "\n", to: "secrets/\(value)", mode: 0o600))"
    }
}
