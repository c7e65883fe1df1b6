import AppKit
import Surfaced
import SwiftUI

/// A helper in the menu bar, which no terminal started: "New Session" opens where the person's sessions run.
@main
struct MenuBarHelper: App {
    @StateObject private var sessions = Sessions()

    var body: some Scene {
        MenuBarExtra("surfaced", systemImage: "terminal") {
            Button("New Session") { sessions.open(["claude"]) }
            if let said = sessions.said {
                Text(said)
            }
            Divider()
            Button("Quit") { NSApplication.shared.terminate(nil) }
        }
    }
}

@MainActor
final class Sessions: ObservableObject {
    /// Where the last one opened, or why not.
    @Published private(set) var said: String?
    private let client = Client()

    func open(_ command: [String]) {
        Task {
            do {
                let context = Wire.Context.current()
                let choice = try await client.resolveBackend(.init(context: context, headless: true))
                let item = Wire.Item(cwd: NSHomeDirectory(), command: command)
                let answer = try await client.open(.init(items: [item], backend: choice.backend, context: context))
                let failed = answer.results.first { !$0.ok }
                said = failed?.error ?? answer.results.first?.attach ?? choice.description
            } catch {
                said = error.localizedDescription
            }
        }
    }
}
