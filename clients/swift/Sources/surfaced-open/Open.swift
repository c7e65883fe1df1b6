import Surfaced

@main
struct Open {
    static func main() async throws {
        let client = try await Client.connect()  // starts the daemon where none runs
        let items = ["left", "right"].map { side in
            Wire.Item(command: ["sh", "-c", "echo \(side); exec cat"])
        }
        for try await item in try await client.openSubscribe(.init(items: items, backend: "tmux")) {
            if case .result(let opened) = item {
                print(opened.index, opened.result.surface ?? opened.result.error ?? "")
            }
        }
        await client.close()
    }
}
