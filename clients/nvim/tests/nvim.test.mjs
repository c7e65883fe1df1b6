import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { clients, holds, missing, needsDaemon, readJson, sandbox, scripted, until } from "../../testing/support.mjs";

const own = join(clients, "nvim");
const { cases } = readJson("conformance.json");
const needsNvim = { skip: missing("nvim") };
const needsAll = { skip: needsDaemon.skip || missing("nvim", "tmux") };

/** Runs Lua in a headless Neovim that has the plugin, and returns what it returned. */
function lua(place, code, ...args) {
  const script = join(place.root, "script.lua");
  const out = join(place.root, "out.json");
  writeFileSync(
    script,
    `local surfaced = require("surfaced")
local said = {}
vim.notify = function(text) table.insert(said, text) end
local function main() ${code}\nend
local ok, value = xpcall(main, debug.traceback)
local file = io.open(${JSON.stringify(out)}, "w")
file:write(vim.json.encode({ ok = ok, value = value, said = said }))
file:close()`,
  );
  execFileSync("nvim", ["--headless", "-u", "NONE", "-i", "NONE", "--cmd", `set rtp^=${own}`, "--cmd", "runtime plugin/surfaced.lua", ...args, "-c", `luafile ${script}`, "-c", "qall!"], {
    env: place.env,
    cwd: place.cwd,
    timeout: 120_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { ok, value, said } = JSON.parse(readFileSync(out, "utf8"));
  assert.ok(ok, value);
  return { value, said };
}

function judge({ name, expect }, { result, err }) {
  const told = `${name}: ${JSON.stringify({ result, err })}`;
  if (expect.result) return assert.ok(holds(result, expect.result), told);
  assert.ok(err, told);
  for (const [field, expected] of Object.entries(expect.error)) {
    const within = (field === "message" || field === "hint") && expected !== "<text>";
    assert.ok(within ? err[field]?.includes(expected) : holds(err[field], expected), `${told}: ${field}`);
  }
}

/** Runs cases in one Neovim. Lua reads the calls from the file itself, so that nothing is lost on the way. */
function outcomes(place, chosen) {
  const file = join(place.root, "calls.json");
  writeFileSync(file, JSON.stringify(chosen.map(({ method, params }) => ({ method, params }))));
  const { value } = lua(
    place,
    `local outcomes = {}
    for _, call in ipairs(vim.json.decode(table.concat(vim.fn.readfile(${JSON.stringify(file)}), "\\n"))) do
      local result, err = surfaced.request(call.method, call.params)
      table.insert(outcomes, { result = result, err = err })
    end
    return outcomes`,
  );
  return value;
}

for (const protocol of [0, 2]) {
  test(`every case, with a daemon of protocol ${protocol}`, needsNvim, async (t) => {
    const { socket } = await scripted(t, protocol);
    const place = sandbox(t);
    place.env.SURFACED_SOCKET = socket;
    outcomes(place, cases).forEach((outcome, index) => judge(cases[index], outcome));
  });
}

test("every live case, with the daemon", needsAll, async (t) => {
  const live = cases.filter((one) => one.live);
  const found = outcomes(sandbox(t), live);
  for (const [index, outcome] of found.entries()) await t.test(live[index].name, () => judge(live[index], outcome));
});

test("items, cancelling, and a broken connection", needsNvim, async (t) => {
  const { socket } = await scripted(t);
  const place = sandbox(t);
  place.env.SURFACED_SOCKET = socket;
  const { value } = lua(
    place,
    `local types, lost = {}, {}
    surfaced.subscribe("open.subscribe", { items = {} }, function(item) table.insert(types, item.type) end)
    vim.wait(10000, function() return types[#types] == "end" end, 5)
    surfaced.subscribe("events.subscribe", {}, function(item) table.insert(lost, item.reason or item.topic) end)
    vim.wait(10000, function() return #lost == 1 end, 5)
    local unsubscribe
    surfaced.subscribe("events.subscribe", {}, function() end, function(_, stop) unsubscribe = stop end)
    vim.wait(10000, function() return unsubscribe ~= nil end, 5)
    unsubscribe()
    local _, late = surfaced.request("terminal.attach", { id = "crossing" }, 50)
    surfaced.request("scripted.echo", { a = 1 })
    local counts = surfaced.request("scripted.counts", {})
    local _, nan = surfaced.request("scripted.echo", { n = 0 / 0 })
    local silent
    surfaced.call("scripted.silence", {}, function(err) silent = err end)
    local _, broken = surfaced.request("scripted.break", {})
    local again = surfaced.request("scripted.echo", { again = true })
    local big = #surfaced.request("scripted.pieces", {}).text
    return { types = types, lost = lost, late = late.kind, nan = nan.kind, counts = counts, silent = silent.kind, broken = broken.kind, again = again, big = big }`,
  );
  assert.deepEqual(value, {
    types: ["weather", "result", "gap", "result", "end"],
    lost: ["moon.rose", "connection-closed"],
    late: "timeout",
    nan: "invalid-params",
    counts: { cancelled: 1, unsubscribed: 2 },
    silent: "connection-closed",
    broken: "connection-closed",
    again: { again: true },
    big: 200_000,
  });
});

test("where there is no daemon, the error says so", needsNvim, (t) => {
  const place = sandbox(t);
  const code = `local _, err = surfaced.request("plan", {}) return err`;
  const absent = lua({ ...place, env: { ...place.env, SURFACED_SOCKET: join(place.root, "none") } }, code).value;
  assert.deepEqual([absent.kind, absent.hint], ["no-daemon", "run: surfaced ensure"]);
  const missingProgram = lua(place, `surfaced.setup({ program = "no-such-surfaced" }) ${code}`).value;
  assert.equal(missingProgram.kind, "no-daemon");
  assert.match(missingProgram.message, /no-such-surfaced/);
});

test("what the commands ask for", needsNvim, (t) => {
  const place = sandbox(t);
  const file = join(place.cwd, "file.txt");
  writeFileSync(file, "echo one\nthe äb end\nlast\n");
  const { value, said } = lua(
    place,
    `local asked = {}
    surfaced.call = function(_, params) table.insert(asked, params.items[1]) end
    vim.cmd("SurfacedOpen")
    vim.cmd("SurfacedOpen make 'a b' | tee log")
    vim.cmd("SurfacedSplit")
    vim.cmd("SurfacedSplit down make test")
    vim.cmd("SurfacedSplit make test")
    vim.cmd("1,2SurfacedOpen")
    vim.cmd("normal! 2G0wvl\\27")
    vim.cmd("'<,'>SurfacedOpen")
    vim.cmd("normal! 1G0wv2G0e\\27")
    vim.cmd("'<,'>SurfacedSplit right")
    surfaced.report({ message = "it did not work", hint = "try" })
    surfaced.report(nil, { results = { { ok = true, attach = "tmux attach" }, { ok = false, error = "gone" } } })
    return asked`,
    file,
  );
  const cwd = place.cwd;
  assert.deepEqual(value, [
    { cwd, layout: "tab" },
    { cwd, layout: "tab", shellCommand: "make 'a b' | tee log" },
    { cwd, layout: "split-right" },
    { cwd, layout: "split-down", shellCommand: "make test" },
    { cwd, layout: "split-right", shellCommand: "make test" },
    { cwd, layout: "tab", shellCommand: "echo one\nthe äb end" },
    { cwd, layout: "tab", shellCommand: "äb" },
    { cwd, layout: "split-right", shellCommand: "one\nthe" },
  ]);
  assert.deepEqual(said, ["surfaced: it did not work\nhint: try", "tmux attach", "surfaced: gone"]);
});

test("the README's example opens two splits, and :SurfacedOpen a command", needsAll, async (t) => {
  const place = sandbox(t);
  const [, example] = /```lua\n(.*?)```/s.exec(readFileSync(join(own, "README.md"), "utf8"));
  const { value } = lua(
    place,
    `local printed = {}
    print = function(...) table.insert(printed, table.concat(vim.tbl_map(tostring, { ... }), " ")) end
    ${example}
    vim.wait(60000, function() return #printed == 2 end, 5)
    surfaced.setup({ backend = "tmux" })
    local answer
    surfaced.open({ { cwd = "/", shellCommand = "echo shell; exec cat" } }, {}, function(_, got) answer = got end)
    vim.wait(60000, function() return answer ~= nil end, 5)
    table.insert(printed, answer.results[1].surface)
    return printed`,
  );
  const panes = value.map((line) => /tmux:\d+\.@\d+\.(%\d+);/.exec(line)?.[1]);
  for (const [pane, text] of [[panes[0], "left"], [panes[1], "right"], [panes[2], "shell"]]) {
    await until(text, () => place.tmux("capture-pane", "-p", "-t", pane).includes(text));
  }
});
