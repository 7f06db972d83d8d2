import Bus
import CBOR
import SceneContent
import ZeroMQ

extension SceneWatches {
    struct Earlier {
        let revision: SceneRevision
        let layers: SceneLayers
        /// What it holds that the next picture does not share, at most.
        let cost: Int
        /// What the difference to the next picture takes.
        let change: Int
    }

    struct Watched {
        var layers: SceneLayers?
        var revision: SceneRevision?
        /// Whether a text stands in for the worker's picture, to which the worker's differences do not fit.
        var isReplaced = false
        /// The worker whose picture it is.
        var worker = ""
        /// The picture as it is sent, once somebody has needed the whole of it. It is encoded once for all who do.
        var encoded: CBORRaw?
        /// What the picture takes.
        var size = 0
        /// What it takes with its history, and as it is sent.
        var cost: Int { size + (encoded?.bytes.count ?? 0) + historyCost }
        private(set) var historyCost = 0
        /// Earlier pictures, the oldest first. They share what has not changed.
        var history: [Earlier] = []
        var condition: Condition
        /// When the condition's state began, in seconds since 1970.
        var since: Double
        var questions: [Question: (known: Known, asker: Asker)] = [:]
        var company = CompanyBook<String>(maximum: SceneWatches.maximumCompany)
        var pace = PicturePace()
        var askedAt: MonotonicInstant
    }
}

extension SceneWatches.Watched {
    func isNews(to known: SceneWatches.Known, of asker: SceneWatches.Asker) -> Bool {
        // The first answer has the picture, if there will be one.
        if known.state == nil, layers == nil, condition.state == .running { return false }
        if known.state != condition.state || known.problem != condition.problem { return true }
        if asker.wantsCompany, company.hasNews(for: asker.id, known: known.company) { return true }
        return revision != nil && known.revision != revision
    }

    mutating func news(
        for known: SceneWatches.Known, of asker: SceneWatches.Asker,
        _ differences: inout [SceneRevision: ContentDifference]
    ) -> SceneNews {
        var update: SceneUpdate?
        if let layers, let revision {
            update = SceneUpdate(revision: revision)
            if let known = known.revision, known != revision,
                let earlier = history.last(where: { $0.revision == known })
            {
                let difference = differences[known] ?? layers.difference(from: earlier.layers)
                differences[known] = difference
                update?.difference = difference
            } else if known.revision != revision {
                // If it cannot be encoded, the reply says why.
                if encoded == nil { encoded = try? CBORRaw(encoding: layers) }
                update?.content = layers
                update?.encodedContent = encoded
            }
        }
        return SceneNews(
            update: update, state: condition.state, problem: condition.problem, since: since,
            company: asker.wantsCompany ? company.company(of: asker.id, known: known.company) : nil)
    }

    /// Keeps the picture, before another one takes its place.
    mutating func remember(
        difference: ContentDifference?, until layers: SceneLayers, ofSize size: Int
    ) {
        guard let before = self.layers, let revision else { return }
        let change = difference ?? layers.difference(from: before)
        let changed = change.node.cost
        // A picture that has come as a whole shares nothing. Another one shares what it has and the change does not, but for the
        // maps and lists around what has changed.
        let cost = difference.map { max(0, self.size - size) + changed + $0.copies(of: before) } ?? self.size
        history.append(.init(revision: revision, layers: before, cost: cost, change: changed))
        var sum = (cost: history.reduce(0) { $0 + $1.cost }, changes: history.reduce(0) { $0 + $1.change })
        while let first = history.first,
            history.count > SceneWatches.maximumHistory || sum.changes > SceneWatches.maximumHistoryCost
                // Who has the picture before is told the difference, however large the picture is.
                || sum.cost > SceneWatches.maximumHistoryCost && history.count > 1
        {
            sum = (sum.cost - first.cost, sum.changes - first.change)
            history.removeFirst()
        }
        historyCost = sum.cost
    }
}

extension SceneLayers {
    /// Why it is not what the protocol calls a content; `nil` if it is.
    var malformation: String? { isWellFormed ? nil : "its parts are not in the form of the protocol" }

    /// What is shown instead of a content that cannot be.
    static func unreadable(_ reason: String) -> SceneLayers {
        let text = TextBlock("The scene's worker has sent a screen that cannot be shown: \(reason).", level: .error)
        return SceneLayers([ContentLayer(key: "screen", title: "", blocks: [("unreadable", text.node)])])
    }
}
