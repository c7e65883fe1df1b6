import Foundation
import XCTest

@testable import Surfaced

final class SurfacedTests: XCTestCase {
    func testLinesAreCutWhereverThePiecesEnd() {
        let text = Data("{\"a\":\"ä\"}\n{}\n\npart".utf8)
        for size in 1..<text.count {
            var splitter = LineSplitter()
            var lines: [String] = []
            var at = 0
            while at < text.count {
                let end = min(at + size, text.count)
                lines += splitter.push(text.subdata(in: at..<end)).map { String(decoding: $0, as: UTF8.self) }
                at = end
            }
            XCTAssertEqual(lines, ["{\"a\":\"ä\"}", "{}", ""])
        }
    }

    func testTypes() throws {
        let decoder = JSONDecoder()
        let params = Wire.OpenParams(items: [Wire.Item(command: ["a b"], layout: .splitRight)], backend: "tmux")
        let sent = try decoder.decode(JSONValue.self, from: JSONEncoder().encode(params))
        let expected = "{\"items\":[{\"command\":[\"a b\"],\"layout\":\"split-right\"}],\"backend\":\"tmux\"}"
        XCTAssertEqual(sent, try decoder.decode(JSONValue.self, from: Data(expected.utf8)))

        let newer = "{\"type\":\"weather\",\"sky\":\"clear\"}"
        let item = try decoder.decode(Wire.OpenItem.self, from: Data(newer.utf8))
        XCTAssertEqual(item, .unknown(.object(["type": .string("weather"), "sky": .string("clear")])))

        let exit = "{\"exited\":true,\"exitCode\":0,\"moon\":1}"
        XCTAssertEqual(try decoder.decode(Wire.Exit.self, from: Data(exit.utf8)).exitCode, 0)
        let kind = try decoder.decode(Wire.Kind.self, from: Data("\"of-the-future\"".utf8))
        XCTAssertEqual(kind.rawValue, "of-the-future")
    }

    func testEveryCase() async throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../conformance.json").standardized
        let table = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: file))
        let cases = table["cases"]?.items ?? []
        XCTAssertFalse(cases.isEmpty)
        for one in cases {
            let name = one["name"]?.text ?? ""
            guard let method = one["method"]?.text, let params = one["params"], case .object(var reply)? = one["reply"] else {
                return XCTFail(name)
            }
            reply["jsonrpc"] = .string("2.0")
            let template = reply
            let scripted = try await Scripted { request in
                var answer = template
                answer["id"] = request["id"]
                return [JSONValue.object(answer).line]
            }
            do {
                let result: JSONValue = try await scripted.connection.call(method, params)
                let expected = one["expect"]?["result"]
                XCTAssertNotNil(expected, name)
                XCTAssertTrue(result.holds(expected ?? .null), "\(name): \(result.line)")
            } catch let error as SurfacedError {
                check(error, one["expect"]?["error"], name)
            }
        }
    }

    private func check(_ error: SurfacedError, _ expected: JSONValue?, _ name: String) {
        guard case .object(let fields)? = expected else { return XCTFail("\(name): \(error)") }
        for (field, value) in fields {
            switch field {
            case "code": XCTAssertEqual(error.code.map { JSONValue.int($0) }, value, name)
            case "kind": XCTAssertEqual(error.kind.rawValue, value.text, name)
            case "path": XCTAssertEqual(error.path, value.text, name)
            case "detail": XCTAssertTrue((error.detail ?? .null).holds(value), name)
            case "message", "hint":
                let said = field == "message" ? error.message : error.hint ?? ""
                let wanted = value.text ?? ""
                XCTAssertTrue(wanted == "<text>" ? !said.isEmpty : said.contains(wanted), "\(name): \(said)")
            default: XCTFail("\(name): \(field)")
            }
        }
    }

    func testItemsComeInOrderUntilTheEnd() async throws {
        let scripted = try await Scripted { request in
            let id = request["id"]?.line ?? "null"
            let items = [
                "{\"type\":\"weather\"}", "{\"type\":\"gap\",\"missed\":2}", "{\"type\":\"end\",\"reason\":\"done\",\"moon\":1}",
            ]
            return ["{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":{\"subscription\":7,\"moon\":1}}"]
                + items.map { "{\"jsonrpc\":\"2.0\",\"method\":\"open.subscribe\",\"params\":{\"subscription\":7,\"result\":\($0)}}" }
        }
        let params = Wire.OpenSubscribeParams(items: [])
        let subscription: Subscription<Wire.OpenItem> = try await scripted.connection.subscribe("open.subscribe", params)
        var seen: [String] = []
        for try await item in subscription {
            switch item {
            case .gap(let gap): seen.append("gap \(gap.missed)")
            case .end(let end): seen.append("end \(end.reason)")
            case .unknown(let value): seen.append(value["type"]?.text ?? "")
            default: seen.append("other")
            }
        }
        XCTAssertEqual(seen, ["weather", "gap 2", "end done"])
    }

    func testABrokenConnectionFailsWhatIsPending() async throws {
        let scripted = try await Scripted { _ in [] }
        let connection = scripted.connection
        let pending = Task { () async throws -> JSONValue in try await connection.call("terminal.wait", ["id": "x"]) }
        let second = Task { () async throws -> JSONValue in try await connection.call("plan", ["count": 1]) }
        scripted.hangUp()
        for task in [pending, second] {
            do {
                _ = try await task.value
                XCTFail("it was answered")
            } catch let error as SurfacedError {
                XCTAssertEqual(error.kind, .connectionClosed)
            }
        }
    }

    func testCancellingTellsTheDaemon() async throws {
        let (seen, sink) = AsyncStream<String>.makeStream()
        let scripted = try await Scripted { request in
            sink.yield(request["method"]?.text ?? "")
            return []
        }
        let connection = scripted.connection
        let call = Task { () async throws -> JSONValue in try await connection.call("terminal.wait", ["id": "x"]) }
        var methods = seen.makeAsyncIterator()
        let first = await methods.next()
        call.cancel()
        let second = await methods.next()
        XCTAssertEqual([first, second], ["terminal.wait", "$/cancelRequest"])
        do {
            _ = try await call.value
            XCTFail("it was answered")
        } catch {
            XCTAssertTrue(error is CancellationError)
        }
    }

    func testWhereNothingListensTheErrorSaysSo() async throws {
        var options = Client.Options()
        options.socket = "/no/socket"
        do {
            _ = try await Client.connect(options)
            XCTFail("it connected")
        } catch let error as SurfacedError {
            XCTAssertEqual(error.kind, .noDaemon)
            XCTAssertNotNil(error.hint)
        }
    }
}
