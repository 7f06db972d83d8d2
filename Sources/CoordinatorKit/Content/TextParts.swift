public import SceneContent

/// A heading over some parts of a screen.
public struct Section: ScreenPart {
    private let title: String
    private let parts: [any ScreenPart]

    /// Makes a heading.
    /// - Parameter parts: what is below it.
    public init(_ title: String, @ScreenBuilder parts: () -> [any ScreenPart] = { [] }) {
        self.title = title
        self.parts = parts()
    }

    public func add(to all: inout ScreenParts) {
        all.add(SectionBlock(title))
        for part in parts { part.add(to: &all) }
    }
}

/// A paragraph.
public struct Text: ScreenPart {
    private let block: TextBlock

    /// Makes a paragraph. Line feeds in it are kept.
    /// - Parameters:
    ///   - level: what it means to its reader; `nil` for a plain text.
    ///   - size: ``TextBlock/Size/large`` for a headline that is read from afar, on a wall or a sign.
    public init(_ text: String, level: TextBlock.Level? = nil, size: TextBlock.Size = .normal) {
        block = TextBlock(text, level: level, size: size)
    }

    public func add(to all: inout ScreenParts) { all.add(block) }
}

/// A label with a value. Facts that follow each other are shown together.
public struct Fact: ScreenPart {
    private let label: String
    private let value: ContentValue

    public init(_ label: String, _ value: ContentValue) {
        self.label = label
        self.value = value
    }

    public init(_ label: String, _ text: String) { self.init(label, .text(text)) }

    public func add(to all: inout ScreenParts) { all.add(fact: label, value) }
}

/// A link to a page elsewhere, which begins with `https://` or `http://`.
public struct WebLink: ScreenPart {
    private let block: LinkBlock

    public init(_ label: String, address: String) { block = LinkBlock(label, address: address) }

    public func add(to all: inout ScreenParts) { all.add(block) }
}

/// A share of a whole, with marks from which on it is too low or too high.
public struct Meter: ScreenPart {
    private let block: MeterBlock

    /// Makes a meter.
    /// - Parameters:
    ///   - share: from 0 to 1; `nil` if it is not known.
    ///   - low: the share below which it is too low.
    ///   - high: the share above which it is too high.
    ///   - detail: what is written beside it; empty for nothing.
    ///   - shows: which figure is the large one: the share as a percentage, or with ``MeterBlock/Figure/value`` the detail.
    public init(
        _ label: String, _ share: Double?, low: Double? = nil, high: Double? = nil, detail: String = "",
        shows: MeterBlock.Figure = .percentage
    ) {
        block = MeterBlock(label, share: share, low: low, high: high, detail: detail, shows: shows)
    }

    /// Makes a meter for a number of things out of all of them.
    /// - Parameters:
    ///   - low: the share, from 0 to 1, below which it is too low.
    ///   - high: the share above which it is too high.
    ///   - shows: which figure is the large one: the share as a percentage, or with ``MeterBlock/Figure/value`` the number of
    ///     things, such as `1 of 3`.
    public init(
        _ label: String, _ count: Int, of total: Int, low: Double? = nil, high: Double? = nil,
        shows: MeterBlock.Figure = .percentage
    ) {
        self.init(
            label, total > 0 ? Double(count) / Double(total) : nil, low: low, high: high,
            detail: "\(count) of \(total)", shows: shows)
    }

    public func add(to all: inout ScreenParts) { all.add(block) }
}

/// An image: a PNG, JPEG, GIF or WebP of at most ``ContentBounds/image`` bytes.
public struct Image: ScreenPart {
    private let image: ImageData
    private let alternative: String

    /// Makes an image.
    /// - Parameter alternative: what is in it, in words, for those who cannot see it and for surfaces that draw no images.
    public init(_ image: ImageData, alternative: String) {
        self.image = image
        self.alternative = alternative
    }

    /// Makes an image of bytes. Their hash is computed each time that the screen is read: keep an ``ImageData`` for an image
    /// that stays.
    public init(_ bytes: some Sequence<UInt8>, alternative: String) {
        self.init(ImageData(bytes), alternative: alternative)
    }

    public func add(to all: inout ScreenParts) { all.add(image, alternative: alternative) }
}

/// Values over time as lines.
public struct Chart: ScreenPart {
    private let block: ChartBlock

    /// Makes a chart.
    /// - Parameters:
    ///   - kind: what the values count.
    ///   - over: what the points' `x` counts.
    ///   - series: the lines. Each has at most ``ContentBounds/points`` points.
    public init(
        _ label: String, kind: Quantity.Kind = .number, over: Quantity.Kind = .time, series: [ChartBlock.Series]
    ) {
        block = ChartBlock(label, kind: kind, over: over, series: series)
    }

    public func add(to all: inout ScreenParts) { all.add(block) }
}
