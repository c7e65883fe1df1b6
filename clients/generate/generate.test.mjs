import assert from "node:assert/strict";
import { test } from "node:test";

import { generate } from "./generate.mjs";
import { camel, pascal, read, snake } from "./model.mjs";

const text = { type: "string" };
const document = {
  info: { version: "1" },
  methods: [
    {
      name: "thing.make",
      summary: "Makes a thing.",
      params: [
        { name: "colour", required: true, schema: { $ref: "#/components/schemas/Colour" } },
        { name: "env", required: false, schema: { type: ["object", "null"], patternProperties: { "^A": text } }, description: "Variables." },
        { name: "dryRun", required: false, schema: { type: ["boolean", "null"] } },
      ],
      result: { name: "result", schema: { $ref: "#/components/schemas/Or2" } },
    },
    {
      name: "thing.watch",
      summary: "Watches things.",
      params: [],
      result: { name: "result", schema: { $ref: "#/components/schemas/Subscribed" } },
      "x-subscription": { item: { $ref: "#/components/schemas/ThingItem" }, end: "thing.unwatch" },
    },
  ],
  components: {
    errors: { "not-found": { code: -32020, message: "Nothing has this id." } },
    schemas: {
      Colour: { oneOf: [{ const: "dark-red", type: "string", description: "As wine." }, { const: "blue", type: "string" }] },
      Mood: { oneOf: [{ const: "glad", type: "string" }] },
      Or2: { anyOf: [{ allOf: [{ $ref: "#/components/schemas/Shown" }] }, { allOf: [{ $ref: "#/components/schemas/Thing" }] }] },
      Shown: { type: "object", properties: { argv: { type: "array", items: text } }, required: ["argv"] },
      Subscribed: { type: "object", properties: { subscription: { type: "integer" } }, required: ["subscription"] },
      Thing: { type: "object", properties: { mood: { $ref: "#/components/schemas/Mood" }, rest: {} }, required: ["mood"] },
      ThingItem: {
        oneOf: [
          { type: "object", properties: { type: { const: "made" } }, allOf: [{ $ref: "#/components/schemas/Thing" }] },
          { type: "object", properties: { type: { const: "sunk" }, depth: { type: "number" } }, required: ["type", "depth"] },
        ],
      },
    },
  },
};

test("names", () => {
  assert.deepEqual(["surface.list", "resolveBackend", "split-right"].map(pascal), ["SurfaceList", "ResolveBackend", "SplitRight"]);
  assert.deepEqual(["surface.list", "resolveBackend"].map(camel), ["surfaceList", "resolveBackend"]);
  assert.deepEqual(["surface.list", "resolveBackend"].map(snake), ["surface_list", "resolve_backend"]);
});

test("the model: what is sent is closed, streams end, a dry run has a result of its own", () => {
  const { declarations, methods } = read(document);
  const by = (name) => declarations.find((declaration) => declaration.name === name);
  assert.equal(by("Colour").input, true);
  assert.equal(by("Mood").input, undefined);
  assert.equal(by("Or2"), undefined);
  assert.deepEqual(by("ThingItem").variants.map(({ tag }) => tag), ["made", "sunk", "gap", "end"]);
  assert.deepEqual(methods[0].dry, { shown: { kind: "ref", name: "Shown" }, done: { kind: "ref", name: "Thing" } });
  assert.equal(methods[0].result.name, "ThingMakeResult");
});

test("what is printed", () => {
  const files = generate(document);
  const holds = (path, ...parts) => parts.forEach((part) => assert.ok(files[path].includes(part), `${path} lacks ${part}:\n${files[path]}`));
  holds("typescript/src/protocol.ts", '  | "dark-red"\n  | "blue";', "| (string & {})", "env?: Record<string, string> | null | undefined;");
  holds("typescript/src/api.ts", "thingMake(params: ThingMakeParams & { dryRun: true }", "thingWatch(params: ThingWatchParams = {}", "Promise<Subscription<ThingItem>>");
  holds("python/surfaced/protocol.py", 'Colour: TypeAlias = Literal["dark-red", "blue"]', 'Mood: TypeAlias = Union[Literal["glad"], str]', "class ThingItemMade(Thing):");
  holds("python/surfaced/_api.py", "async def thing_make(", "dryRun: Literal[True]");
  holds("swift/Sources/Surfaced/Wire.swift", 'static let darkRed = Colour(rawValue: "dark-red")', "case sunk(Sunk)", "case unknown(JSONValue)");
  holds("swift/Sources/Surfaced/Api.swift", "func thingMakeDryRun(_ params: Wire.ThingMakeParams) async throws -> Wire.Shown");
});

test("what cannot be said in every language is refused", () => {
  const broken = structuredClone(document);
  broken.components.schemas.Thing.properties.rest = { anyOf: [text, { type: "integer" }] };
  assert.throws(() => generate(broken), /ThingRest: a union needs a name/);
});
