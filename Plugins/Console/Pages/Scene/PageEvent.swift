/// What is written to the event stream of a page beside patches.
package enum PageEvent {
    /// Says that the stream is alive. A page that hears nothing for 35 seconds takes the stream for lost and connects again,
    /// so this is sent every ten seconds or so.
    package static let alive = "event: alive\ndata:\n\n"

    /// Tells the page why no more will come: it shows the text, and does not connect again.
    package static func end(_ text: String) -> String { "event: end\ndata: \(JSONText.string(text))\n\n" }

    /// Tells the page that its reader's login has ended: it shows the text in place of what it has shown.
    package static func leave(_ text: String) -> String { "event: leave\ndata: \(JSONText.string(text))\n\n" }
}
