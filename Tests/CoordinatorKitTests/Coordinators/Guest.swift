import CoordinatorKit

struct Guest: Codable, Hashable, Sendable {
    var name: String
}

extension AppDependency {
    @Entry var guestCount: Int?
    @Entry var guest: Guest?
}
