// Reads the OpenRPC document into plain declarations that the emitters print: the only file that knows JSON Schema.
//
// Type:        { kind: string | integer | number | boolean | any }, { kind: array | map | nullable, of }, { kind: ref, name }
// Declaration: { kind: alias | enum | struct | tagged | union, name, doc, input, … }

/** Generic results get numbered names from the schema; they are inlined, and the method's result is named instead. */
const NUMBERED = /^Or\d*$/;

/** What every stream may carry beside its own items. */
const STREAM_VARIANTS = [
  {
    tag: "gap",
    doc: "Items were left out because the reader was too slow.",
    fields: [field("missed", { kind: "integer" }, true, "How many.")],
  },
  {
    tag: "end",
    doc: "Nothing follows.",
    fields: [field("reason", { kind: "string" }, true, "done, unsubscribed, lagged or shutting-down.")],
  },
];

/** @returns {{ version: string, kinds: object[], declarations: object[], methods: object[] }} */
export function read(document) {
  const schemas = document.components.schemas;
  const reader = new Reader(schemas);
  const methods = document.methods.map((method) => reader.method(method));
  const names = Object.keys(schemas).filter((name) => !NUMBERED.test(name));
  const declarations = [...names.map((name) => reader.declaration(name, schemas[name])), ...reader.extra];
  declarations.sort((a, b) => (a.name < b.name ? -1 : 1));
  markStreams(declarations, methods);
  markInputs(declarations, methods);
  const kinds = Object.entries(document.components.errors).map(([kind, { code, message }]) => ({ kind, code, message }));
  return { version: document.info.version, kinds, declarations, methods };
}

/** `surface.list` → `SurfaceList`. */
export function pascal(name) {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter) => letter.toUpperCase());
}

/** `surface.list` → `surfaceList`. */
export function camel(name) {
  const joined = pascal(name);
  return joined[0].toLowerCase() + joined.slice(1);
}

/** `resolveBackend` → `resolve_backend`. */
export function snake(name) {
  return camel(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function field(name, type, required, doc) {
  return { name, type, required, doc };
}

class Reader {
  constructor(schemas) {
    this.schemas = schemas;
    this.extra = [];
  }

  method(method) {
    const name = pascal(method.name);
    const fields = method.params.map((param) =>
      field(param.name, this.type(param.schema, name), param.required === true, param.description),
    );
    this.extra.push({ kind: "struct", name: `${name}Params`, doc: `Parameters of \`${method.name}\`.`, fields });
    const stream = method["x-subscription"];
    const result = this.result(method);
    return {
      name: method.name,
      summary: method.summary,
      params: `${name}Params`,
      fields,
      required: fields.some((field) => field.required),
      result,
      dry: fields.some((field) => field.name === "dryRun") && !stream ? this.dry(result) : undefined,
      item: stream && this.type(stream.item, name),
      end: stream?.end,
    };
  }

  result(method) {
    const schema = method.result.schema;
    const target = schema.$ref && this.schemas[nameOf(schema.$ref)];
    if (!target || !NUMBERED.test(nameOf(schema.$ref))) return this.type(schema, pascal(method.name));
    const name = `${pascal(method.name)}Result`;
    this.extra.push(this.declaration(name, { ...target, description: `Result of \`${method.name}\`; with \`dryRun\` the command.` }));
    return { kind: "ref", name };
  }

  /** What a method with `dryRun` answers with and without it: the two members of its result. */
  dry(result) {
    const union = this.extra.find(({ name }) => name === result.name) ?? this.declaration(result.name, this.schemas[result.name]);
    const [shown, done] = union.of;
    return { shown, done };
  }

  declaration(name, schema) {
    const doc = plain(schema.description);
    const variants = schema.oneOf ?? schema.anyOf;
    if (variants?.every((variant) => typeof variant.const === "string")) {
      return { kind: "enum", name, doc, values: variants.map((value) => ({ value: value.const, doc: plain(value.description) })) };
    }
    if (schema.enum) return { kind: "enum", name, doc, values: schema.enum.map((value) => ({ value })) };
    const tag = variants && tagOf(variants);
    if (tag) return { kind: "tagged", name, doc, tag, variants: variants.map((variant) => this.variant(tag, variant, name)) };
    if (variants) return { kind: "union", name, doc, of: variants.map((variant, index) => this.member(variant, name, index)) };
    if (schema.type === "object" && !isMap(schema)) {
      return { kind: "struct", name, doc, fields: this.fields(schema, name), include: include(schema) };
    }
    return { kind: "alias", name, doc, type: this.type(schema, name) };
  }

  variant(tag, schema, owner) {
    const fields = this.fields(schema, owner).filter((field) => field.name !== tag);
    return { tag: schema.properties[tag].const, doc: plain(schema.description), fields, include: include(schema) };
  }

  /** A member of an untagged union: an object that is written in place gets a name of its own. */
  member(schema, owner, index) {
    if (schema.type !== "object" || !schema.properties) return this.type(schema, owner);
    const name = `${owner}${pascal(Object.keys(schema.properties).at(-1) ?? String(index))}`;
    this.add(name, schema);
    return { kind: "ref", name };
  }

  add(name, schema) {
    if (!this.extra.some((known) => known.name === name)) this.extra.push(this.declaration(name, schema));
  }

  fields(schema, owner) {
    const required = new Set(schema.required ?? []);
    return Object.entries(schema.properties ?? {}).map(([name, property]) =>
      field(name, this.type(property, owner + pascal(name)), required.has(name), plain(property.description)),
    );
  }

  type(schema, owner) {
    if (schema === true || schema === undefined) return { kind: "any" };
    if (schema.$ref) return { kind: "ref", name: nameOf(schema.$ref) };
    if (schema.allOf?.length === 1) return this.type(schema.allOf[0], owner);
    const variants = schema.anyOf ?? schema.oneOf;
    if (variants) {
      const rest = variants.filter((variant) => variant.type !== "null");
      if (rest.length === 1) return { kind: "nullable", of: this.type(rest[0], owner) };
      throw new Error(`${owner}: a union needs a name in the schema`);
    }
    if (Array.isArray(schema.type)) {
      const rest = schema.type.filter((type) => type !== "null");
      if (rest.length !== 1) throw new Error(`${owner}: ${schema.type.join(" or ")}`);
      return { kind: "nullable", of: this.type({ ...schema, type: rest[0] }, owner) };
    }
    switch (schema.type) {
      case "string":
      case "integer":
      case "number":
      case "boolean":
        return { kind: schema.type };
      case "array":
        return { kind: "array", of: this.type(schema.items, owner) };
      case "object":
        return this.object(schema, owner);
      case undefined:
        return { kind: "any" };
      default:
        throw new Error(`${owner}: unknown type ${schema.type}`);
    }
  }

  object(schema, owner) {
    if (!schema.properties) return isMap(schema) ? { kind: "map", of: this.type(values(schema), owner) } : { kind: "any" };
    this.add(owner, schema);
    return { kind: "ref", name: owner };
  }
}

function nameOf(reference) {
  return reference.split("/").at(-1);
}

/** The first sentence of a description, without the square brackets of Rust's links. */
function plain(text) {
  return text?.replace(/\[(`[^`]+`)\]/g, "$1");
}

function values(schema) {
  const patterns = Object.values(schema.patternProperties ?? {});
  return patterns[0] ?? (schema.additionalProperties || undefined);
}

function isMap(schema) {
  return !schema.properties && values(schema) !== undefined;
}

/** The one type whose fields an object also has. */
function include(schema) {
  if (!schema.allOf) return undefined;
  if (schema.allOf.length > 1) throw new Error("more than one included type");
  return nameOf(schema.allOf[0].$ref);
}

/** The property that is a different constant in every variant. */
function tagOf(variants) {
  const first = Object.entries(variants[0].properties ?? {}).filter(([, property]) => property.const !== undefined);
  return first.map(([name]) => name).find((name) => variants.every((variant) => variant.properties?.[name]?.const !== undefined));
}

function markStreams(declarations, methods) {
  const items = new Set(methods.filter((method) => method.item).map((method) => method.item.name));
  for (const declaration of declarations) {
    if (items.has(declaration.name)) declaration.variants.push(...STREAM_VARIANTS);
  }
}

/** Marks what callers send: those types are closed, all others may hold values of a newer daemon. */
function markInputs(declarations, methods) {
  const byName = new Map(declarations.map((declaration) => [declaration.name, declaration]));
  const visit = (name) => {
    const declaration = byName.get(name);
    if (!declaration || declaration.input) return;
    declaration.input = true;
    for (const used of uses(declaration)) visit(used);
  };
  for (const method of methods) visit(method.params);
}

/** The names that a declaration refers to. */
export function uses(declaration) {
  const found = [];
  const walk = (type) => {
    if (type.kind === "ref") found.push(type.name);
    if (type.of) walk(type.of);
  };
  const fields = (owner) => {
    for (const { type } of owner.fields ?? []) walk(type);
    if (owner.include) found.push(owner.include);
  };
  fields(declaration);
  declaration.variants?.forEach(fields);
  if (declaration.kind === "union") declaration.of.forEach(walk);
  if (declaration.type) walk(declaration.type);
  return found;
}
