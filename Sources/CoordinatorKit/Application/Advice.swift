import Glibc

/// Says what to write instead of a mistake in an application's code that the compiler cannot find. Each is said once.
@MainActor
package enum Advice {
    /// Reports a mistake. A scene worker logs it.
    package static var report: @MainActor (String) -> Void = { text in
        let line = Array("CoordinatorKit: \(text)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
    private static var given: Set<String> = []

    static func give(_ text: String) {
        if given.insert(text).inserted { report(text) }
    }
}
