import AppRuntime

@TrackedType class LateScreen {
    func show(_ page: Int) {}
}
@TrackedType final class LateHome: LateScreen {
    func leave() {}
}

@_cdecl("visitLateScreens") public func visit() {
    LateScreen().show(1)
    LateHome().show(2)
    LateHome().leave()
}
