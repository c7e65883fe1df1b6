// Never run: `tsc` checks it. Each expected error is one that a person would make.

import { Client, describeBackendChoice, openSurfaces, planLayouts, resolveLaunchBackend, SurfacedError } from "surfaced";
import type { BackendId, BuildResult, Kind, Layout, OpenAnswerResults, OpenItem, Subscription } from "surfaced";

const client = await Client.connect();

const layouts: Layout[] = planLayouts(3, "tabs");
const opened: OpenAnswerResults = await client.open({ items: [{ command: ["true"] }] });
const shown: BuildResult = await client.open({ items: [], dryRun: true });
const items: Subscription<OpenItem> = await client.openSubscribe({ items: [] });
for await (const item of items) {
  if (item.type === "result") item.result.ok satisfies boolean;
  else if (item.type === "gap") item.missed satisfies number;
  else item.reason satisfies string;
}
(await client.call("surface.list", {})).surfaces[0]?.surface satisfies string | undefined;
(await client.call("a.method.of.the.future", { any: 1 })) satisfies unknown;
(await client.plan()).layouts satisfies Layout[];
await client.daemonStatus({}, { signal: AbortSignal.timeout(1) });
describeBackendChoice(await resolveLaunchBackend());
await openSurfaces([{ cwd: "/", env: { A: "b" }, layout: "split-down" }], { backend: "tmux", packing: "tabs", staggerMs: 1 });
const backend: Promise<BackendId | undefined> = Promise.resolve("tmux");
await openSurfaces([], { backend });
const kind: Kind = "of the future";

// @ts-expect-error no such packing
planLayouts(3, "three-per-tab");
// @ts-expect-error no such layout
await client.open({ items: [{ layout: "split-left" }] });
// @ts-expect-error a command is words
await client.open({ items: [{ command: "ls -l" }] });
// @ts-expect-error unknown parameter
await client.plan({ count: 1, colour: "red" });
// @ts-expect-error surface is missing
await client.surfaceFocus({});
// @ts-expect-error the result of dryRun has no results
(await client.open({ items: [], dryRun: true })).results;

export { kind, layouts, opened, shown, SurfacedError };
