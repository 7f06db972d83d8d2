import CoordinatorKit

/// The recorded events, in order.
@MainActor
final class Journal {
    private var entries: [String] = []

    func write(_ entry: String) { entries.append(entry) }

    /// Returns the events since the last call.
    func take() -> [String] {
        defer { entries = [] }
        return entries
    }
}

/// A screen that records the calls that it receives, and whose behaviour a test can set.
final class RecordingViewController: ViewController {
    let name: String
    let journal: Journal
    var shown: ScreenContent?
    var onLoad: (() -> Void)?
    var onWillAppear: (() -> Void)?
    var onAppear: (() -> Void)?
    var onWillDisappear: (() -> Void)?
    private(set) var performed: [String] = []

    init(_ name: String, _ journal: Journal) {
        self.name = name
        self.journal = journal
        super.init()
        title = name
    }

    override var content: ScreenContent { shown ?? super.content }

    override func perform(action: String, fields: [String: String]) async throws {
        guard content.lists(action: action) else {
            try await super.perform(action: action, fields: fields)
            return
        }
        performed.append(action + fields.map { " \($0)=\($1)" }.sorted().joined())
    }

    override func viewDidLoad() {
        journal.write("\(name) loaded")
        onLoad?()
    }
    override func viewWillAppear() {
        journal.write("\(name) will appear")
        onWillAppear?()
    }
    override func viewDidAppear() {
        journal.write("\(name) did appear")
        onAppear?()
    }
    override func viewWillDisappear() {
        journal.write("\(name) will disappear")
        onWillDisappear?()
    }
    override func viewDidDisappear() { journal.write("\(name) did disappear") }
    override func willMove(toParent parent: ViewController?) {
        journal.write("\(name) will move \(parent == nil ? "out" : "in")")
    }
    override func didMove(toParent parent: ViewController?) {
        journal.write("\(name) did move \(parent == nil ? "out" : "in")")
    }
}

extension Window {
    /// A visible window.
    static func visible(_ root: ViewController) -> Window {
        let window = Window()
        window.rootViewController = root
        window.makeKeyAndVisible()
        return window
    }
}

/// A coordinator that is also a responder, as all are except those of foreign code.
final class ResponderCoordinator: Coordinator<ViewController> {
    var above: Responder?
    override var coordinatingResponder: Responder? { above }

    init() {
        super.init(rootViewController: ViewController())
    }
}
