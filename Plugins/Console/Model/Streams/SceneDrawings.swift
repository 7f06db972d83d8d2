/// The events that lead to a scene's newest picture, each drawn once for all pages that ask for it at about the same time.
struct SceneDrawings<Event: Sendable>: Sendable {
    /// Between which pictures an event leads, and for whom it is drawn.
    struct Key: Hashable, Sendable {
        let from: UInt64
        let to: UInt64
        let view: SceneView
    }

    private struct Drawing {
        let task: Task<Event, Never>
        /// Its bytes; 0 until it is drawn.
        var size = 0
        /// The beat at which it was asked for last.
        var beat: UInt64
    }

    private var drawings: [Key: Drawing] = [:]
    /// The drawing that was begun last, maybe of an earlier picture.
    private var last: Task<Void, Never>?
    /// The bytes of all events.
    private(set) var size = 0

    /// Finds a drawing, for one who asks for it now.
    mutating func find(_ key: Key, at beat: UInt64) -> Task<Event, Never>? {
        drawings[key]?.beat = beat
        return drawings[key]?.task
    }

    /// Begins a drawing. However much there is to draw, a scene takes one processor.
    mutating func begin(
        _ key: Key, at beat: UInt64, _ draw: @escaping @Sendable () -> Event
    ) -> Task<Event, Never> {
        let before = last
        let task = Task { @concurrent in
            await before?.value
            return draw()
        }
        drawings[key] = Drawing(task: task, beat: beat)
        // A task of its own, because each keeps its value: the next drawing may never come.
        last = Task { @concurrent in _ = await task.value }
        return task
    }

    /// Notes the size of an event that is drawn.
    mutating func drawn(_ key: Key, size: Int) {
        guard drawings[key]?.size == 0 else { return }
        drawings[key]?.size = size
        self.size += size
    }

    /// Forgets what nobody has asked for since a beat.
    mutating func forget(before beat: UInt64) {
        drawings = drawings.filter { $0.value.beat >= beat }
        size = drawings.values.reduce(0) { $0 + $1.size }
    }

    /// Forgets all of them. Whoever waits for one gets it.
    mutating func forget() {
        drawings = [:]
        size = 0
    }
}
