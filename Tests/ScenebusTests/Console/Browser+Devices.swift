import Foundation

/// What a test does with a browser's keyboard, window and input method.
extension Browser {
    /// Keys that are no characters, as WebDriver names them.
    enum Key {
        static let tab = "\u{E004}"
        static let shift = "\u{E008}"
        static let enter = "\u{E007}"
        static let escape = "\u{E00C}"
        static let backspace = "\u{E003}"
        static let space = " "
    }

    /// Presses keys one after the other, wherever the focus is.
    func press(_ keys: String...) async throws {
        let strokes = keys.flatMap { key in ["keyDown", "keyUp"].map { ["type": $0, "value": key] } }
        try await command("actions", ["actions": [["type": "key", "id": "keyboard", "actions": strokes]]])
    }

    /// Presses Tab until an expression is true.
    func tab(to expression: String) async throws {
        for _ in 0..<60 {
            try await press(Key.tab)
            if try await value(of: expression) == "true" { return }
        }
        throw HTTPConnection.Failure(description: "Tab does not lead to \(expression)")
    }

    /// Runs a command of the browser's own protocol.
    func perform(_ name: String, _ parameters: [String: Any]) async throws {
        try await command("goog/cdp/execute", ["cmd": name, "params": parameters])
    }

    /// Has pages take the reader for one who wants them light or dark, and without movement.
    func prefer(_ scheme: String) async throws {
        let features = [
            ["name": "prefers-color-scheme", "value": scheme], ["name": "prefers-reduced-motion", "value": "reduce"],
        ]
        try await perform("Emulation.setEmulatedMedia", ["features": features])
    }

    /// Has pages take the window for one of another size.
    func show(width: Int, height: Int = 780, onPhone: Bool = false) async throws {
        try await perform(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": onPhone])
    }

    /// Has pages that are opened from now on take the reader for one in a time zone.
    func setTimeZone(_ name: String) async throws {
        try await perform("Emulation.setTimezoneOverride", ["timezoneId": name])
    }

    /// Has an input method put a text into the field with the focus that it has not finished with.
    func compose(_ text: String) async throws {
        let count = text.utf16.count
        try await perform(
            "Input.imeSetComposition", ["text": text, "selectionStart": count, "selectionEnd": count])
    }

    /// Has the input method finish with a text.
    func insert(_ text: String) async throws { try await perform("Input.insertText", ["text": text]) }
}
