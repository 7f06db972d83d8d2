/// A block of a screen, as a surface draws it.
public enum ContentBlock: Hashable, Sendable {
    case section(SectionBlock)
    case text(TextBlock)
    case facts(FactsBlock)
    case list(ListBlock)
    case table(TableBlock)
    case meter(MeterBlock)
    case chart(ChartBlock)
    case image(ImageBlock)
    case field(FieldBlock)
    case action(ActionBlock)
    case link(LinkBlock)
    /// A block that this version does not know, or that is not as its type says: its text form.
    case other(text: String)

    /// Reads a block. What it does not understand it takes as ``other(text:)``.
    public init(_ node: ContentNode) {
        let known: ContentBlock? =
            switch node["type"]?.text {
            case SectionBlock.type: SectionBlock(node).map(Self.section)
            case TextBlock.type: TextBlock(node).map(Self.text)
            case FactsBlock.type: FactsBlock(node).map(Self.facts)
            case ListBlock.type: ListBlock(node).map(Self.list)
            case TableBlock.type: TableBlock(node).map(Self.table)
            case MeterBlock.type: MeterBlock(node).map(Self.meter)
            case ChartBlock.type: ChartBlock(node).map(Self.chart)
            case ImageBlock.type: ImageBlock(node).map(Self.image)
            case FieldBlock.type: FieldBlock(node).map(Self.field)
            case ActionBlock.type: ActionBlock(node).map(Self.action)
            case LinkBlock.type: LinkBlock(node).map(Self.link)
            default: nil
            }
        if let known {
            self = known
        } else {
            let type = (node["type"]?.text ?? "without a type").cut(toBytes: 100)
            let text = node["text"]?.text?.cut(toBytes: ContentBounds.otherText)
            self = .other(text: text ?? "This surface cannot show a block \(type).")
        }
    }
}
