import ControlRoomScenes
import CoordinatorKit
import SceneWorker

@main
struct ControlRoomWorker {
    static func main() {
        SceneWorker.main(
            id: "controlroom",
            scenes: [
                SceneConfiguration(
                    name: "ControlRoom", delegateClass: WindowSceneDelegate<ControlRoomCoordinator>.self)
            ])
    }
}
