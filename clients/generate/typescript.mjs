// Prints the declarations as TypeScript: types in one file, a class with one method for each RPC in another.

import { camel } from "./model.mjs";

const HEADER = "// Generated from schema/openrpc.json by clients/generate/generate.mjs. Do not edit.\n";

export function types({ declarations, methods, kinds }) {
  const out = [HEADER];
  for (const declaration of declarations) out.push(comment(declaration.doc) + print(declaration));
  out.push("/** The parameters of each method. */\nexport interface MethodParams {\n" + rows(methods, (m) => m.params) + "}\n");
  out.push("/** The result of each method. */\nexport interface MethodResults {\n" + rows(methods, (m) => type(m.result)) + "}\n");
  const streams = methods.filter((method) => method.item);
  out.push("/** The items of each method that subscribes. */\nexport interface StreamItems {\n" + rows(streams, (m) => type(m.item)) + "}\n");
  const ends = streams.map((method) => `  ${JSON.stringify(method.name)}: ${JSON.stringify(method.end)},\n`).join("");
  out.push(`/** The method that ends a subscription of another. */\nexport const STREAM_ENDS = {\n${ends}} as const satisfies Record<keyof StreamItems, keyof MethodParams>;\n`);
  const codes = kinds.map(({ kind, code }) => `  ${JSON.stringify(kind)}: ${code},\n`).join("");
  out.push(`/** The JSON-RPC code that goes with each kind. */\nexport const KIND_CODES = {\n${codes}} as const;\n`);
  return out.join("\n");
}

export function api({ methods }) {
  const imports = new Set();
  const name = (type_) => {
    if (type_.kind === "ref") imports.add(type_.name);
    return type(type_);
  };
  const body = methods.map((method) => {
    imports.add(method.params);
    const params = method.required ? `params: ${method.params}` : `params: ${method.params} = {}`;
    const head = comment(method.summary, "  ");
    const own = camel(method.name);
    const wire = JSON.stringify(method.name);
    if (method.dry) {
      const shape = (flag) => `${method.required ? "params" : "params?"}: ${method.params} & { ${flag} }`;
      return `${head}  ${own}(${shape("dryRun: true")}, options?: CallOptions): Promise<${name(method.dry.shown)}>;
${head}  ${own}(${shape("dryRun?: false | null")}, options?: CallOptions): Promise<${name(method.dry.done)}>;
${head}  ${own}(${params}, options?: CallOptions): Promise<${name(method.result)}>;
  ${own}(${params}, options?: CallOptions): Promise<${name(method.result)}> {
    return this.call(${wire}, params, options);
  }\n`;
    }
    const result = method.item ? `Subscription<${name(method.item)}>` : name(method.result);
    const verb = method.item ? "subscribe" : "call";
    return `${head}  ${own}(${params}, options?: CallOptions): Promise<${result}> {
    return this.${verb}(${wire}, params, options);
  }\n`;
  });
  const names = [...imports].sort().map((item) => `  ${item},\n`).join("");
  return `${HEADER}
import type { CallOptions, Subscription } from "./connection.js";
import type {
${names}  MethodParams,
  MethodResults,
  StreamItems,
} from "./protocol.js";

/** One typed method for each RPC. */
export abstract class Api {
  /** Calls any method by its name. */
  abstract call<M extends keyof MethodParams>(method: M, params: MethodParams[M], options?: CallOptions): Promise<MethodResults[M]>;

  /** Calls any method that subscribes by its name. */
  abstract subscribe<M extends keyof StreamItems>(
    method: M,
    params: MethodParams[M],
    options?: CallOptions,
  ): Promise<Subscription<StreamItems[M]>>;

${body.join("\n")}}
`;
}

function rows(methods, value) {
  return methods.map((method) => `  ${JSON.stringify(method.name)}: ${value(method)};\n`).join("");
}

function print(declaration) {
  const { name } = declaration;
  switch (declaration.kind) {
    case "alias":
      return `export type ${name} = ${type(declaration.type)};\n`;
    case "enum":
      return `export type ${name} =\n${words(declaration)};\n`;
    case "struct": {
      const parent = declaration.include ? ` extends ${declaration.include}` : "";
      return `export interface ${name}${parent} {\n${fields(declaration.fields, "  ")}}\n`;
    }
    case "tagged":
      return `export type ${name} =\n${declaration.variants.map((variant) => tagged(declaration.tag, variant)).join("\n")};\n`;
    default:
      return `export type ${name} = ${declaration.of.map(type).join(" | ")};\n`;
  }
}

function words({ values, input }) {
  const lines = values.map(({ value }) => `  | ${JSON.stringify(value)}`);
  // What only daemons send may be a word that this version does not know.
  if (!input) lines.push("  | (string & {})");
  return lines.join("\n");
}

function tagged(tag, variant) {
  const own = `{\n      ${tag}: ${JSON.stringify(variant.tag)};\n${fields(variant.fields, "      ")}    }`;
  const doc = variant.doc ? `  /** ${variant.doc} */\n` : "";
  return `${doc}  | ${variant.include ? `(${own} & ${variant.include})` : own}`;
}

function fields(list, indent) {
  return list
    .map((field) => `${comment(field.doc, indent)}${indent}${field.name}${field.required ? "" : "?"}: ${type(field.type)}${field.required ? "" : " | undefined"};\n`)
    .join("");
}

function type(it) {
  switch (it.kind) {
    case "integer":
    case "number":
      return "number";
    case "any":
      return "unknown";
    case "ref":
      return it.name;
    case "array": {
      const of = type(it.of);
      return /[ |]/.test(of) ? `(${of})[]` : `${of}[]`;
    }
    case "map":
      return `Record<string, ${type(it.of)}>`;
    case "nullable":
      return `${type(it.of)} | null`;
    default:
      return it.kind;
  }
}

function comment(doc, indent = "") {
  return doc ? `${indent}/** ${doc.replace(/\*\//g, "*\\/")} */\n` : "";
}
