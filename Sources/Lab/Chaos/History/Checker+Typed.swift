/// Checks that nothing typed is lost: when a scene has answered that it has stored a text, no later scene of its session is
/// without it.
extension Checker {
    /// A number that a process has typed into a field of a scene.
    struct Typing: Sendable {
        var session: String
        var field: String
        var number: Int
        var asked: UInt64
        /// When the process was told that the scene has stored it; `nil` if it was not.
        var answered: UInt64?
        /// When, and in which process, a scene has stored it; `nil` if none has.
        var stored: (time: UInt64, pid: Int32)?
    }

    /// The numbers that were typed, in order.
    var typings: [Typing] {
        var all: [Typing] = []
        var places: [String: Int] = [:]
        for record in records {
            switch record.event {
            case .typing(let id, let session, let field, let number):
                places[id] = all.count
                all.append(Typing(session: session, field: field, number: number, asked: record.time))
            case .answered(let id, .reply):
                if let place = places[id] { all[place].answered = record.time }
            case .applied(let id):
                if let place = places[id] { all[place].stored = (record.time, record.pid) }
            default: break
            }
        }
        return all
    }

    /// What each field of a session must have at least, since when.
    struct TypedFloors: Sendable {
        fileprivate var floors: [(since: UInt64, field: String, number: Int)] = []

        /// The minimum number of each field that has one at a time.
        func numbers(at time: UInt64) -> [String: Int] {
            var numbers: [String: Int] = [:]
            for floor in floors where floor.since < time {
                numbers[floor.field] = max(numbers[floor.field] ?? 0, floor.number)
            }
            return numbers
        }

        /// What is missing in a state at a time; `nil` if nothing is.
        func whatIsMissing(in typed: [String: Int], at time: UInt64) -> String? {
            let missing = numbers(at: time).filter { (typed[$0.key] ?? 0) < $0.value }
            guard let (field, number) = missing.min(by: { $0.key < $1.key }) else { return nil }
            return "\(typed[field] ?? 0) in the field '\(field)', in which \(number) was typed and answered"
        }
    }

    /// What the fields of all sessions must have. The worker sends the state before it answers, so a loss of the worker is no
    /// excuse. The host does not wait for its disk before it passes the answer on, so what it had no time to write is lost with
    /// its process.
    var typedFloors: [String: TypedFloors] {
        var floors: [String: TypedFloors] = [:]
        for typing in typings {
            guard let answered = typing.answered else { continue }
            let secured = faults.secured(from: answered, pid: nil, machine: nil)
            let isHostKilled = faults.all.contains { fault in
                fault.record.kind.endsHost && fault.start >= typing.asked && fault.start <= secured
            }
            guard !isHostKilled else { continue }
            floors[typing.session, default: TypedFloors()].floors.append((answered, typing.field, typing.number))
        }
        return floors
    }

    mutating func checkTyped() {
        let floors = typedFloors
        for (session, all) in Dictionary(grouping: incarnations, by: \.session) {
            guard let floors = floors[session] else { continue }
            // As for the counts: a scene that starts while a newer one runs is a violation of its own.
            for (index, scene) in all.enumerated() where !all[..<index].contains(where: { $0.isNewer(than: scene) }) {
                looked(at: "restored fields")
                guard let missing = floors.whatIsMissing(in: scene.typed, at: scene.start) else { continue }
                violation(
                    .typedLost, at: scene.start,
                    "session \(session) begins in \(processes.name(of: scene.pid)) with \(missing)")
            }
        }
        checkTypedPictures(floors)
        guard let (time, look) = finalLook else { return }
        for (session, typed) in look.typed {
            guard let floors = floors[session] else { continue }
            looked(at: "fields at the end")
            guard let missing = floors.whatIsMissing(in: typed, at: time) else { continue }
            violation(.typedLost, at: time, "the state of session \(session) at the end has \(missing)")
        }
    }

    /// Checks what watchers are shown of scenes that were made after an answer. A picture of the scene that has answered may
    /// have been on its way, and is not compared: those of one scene go never backwards, which is another check.
    private mutating func checkTypedPictures(_ floors: [String: TypedFloors]) {
        var last: [Int32: [String: String]] = [:]
        for record in records {
            guard case .shown(let session, let picture) = record.event, last[record.pid]?[session] != picture.scene
            else { continue }
            last[record.pid, default: [:]][session] = picture.scene
            guard let floors = floors[session], let start = picture.sceneStart else { continue }
            looked(at: "fields in pictures")
            guard let missing = floors.whatIsMissing(in: picture.typed, at: start) else { continue }
            violation(
                .typedLost, at: record.time,
                "\(processes.name(of: record.pid)) was shown of session \(session) \(missing)")
        }
    }
}
