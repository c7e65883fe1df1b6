// Prints the declarations as Python: TypedDicts in one file, two mixins with one method for each RPC in another.

import { pascal, snake } from "./model.mjs";

const HEADER = "# Generated from schema/openrpc.json by clients/generate/generate.mjs. Do not edit.\n";

const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(" "),
);

export function types({ declarations, kinds }) {
  const out = [
    `${HEADER}"""The types of the protocol. Objects are plain dictionaries; absent and None mean the same for optional fields."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, Optional, TypeAlias, TypedDict, Union
`,
  ];
  const later = [];
  for (const declaration of order(declarations)) {
    const [now, then] = print(declaration);
    if (now) out.push(now);
    if (then) later.push(then);
  }
  out.push(...later);
  const codes = kinds.map(({ kind, code }) => `    "${kind}": ${code},\n`).join("");
  out.push(`#: The JSON-RPC code that goes with each kind.\nKIND_CODES: Dict[str, int] = {\n${codes}}\n`);
  return out.join("\n");
}

export function api({ methods }) {
  const ends = methods
    .filter((method) => method.item)
    .map((method) => `    "${method.name}": "${method.end}",\n`)
    .join("");
  const mixin = (name, doc, asynchronous) => {
    const word = asynchronous ? "async " : "";
    const wait = asynchronous ? "await " : "";
    const stream = asynchronous ? "AsyncSubscription" : "Subscription";
    const body = methods.map((method) => {
      const own = snake(method.name);
      const overloads = method.dry
        ? [
            [type(method.dry.shown), "dryRun: Literal[True]"],
            [type(method.dry.done), "dryRun: Optional[Literal[False]] = None"],
            [type(method.result), "dryRun: Optional[bool] = None"],
          ].map(([result, flag]) => `    @overload\n    ${word}def ${own}(${signature(method, flag)}) -> ${result}: ...\n`)
        : [];
      const result = method.item ? `${stream}[${type(method.item)}]` : type(method.result);
      const verb = method.item ? "subscribe" : "call";
      return `${overloads.join("")}    ${word}def ${own}(${signature(method)}) -> ${result}:
        """${method.summary}"""
        return ${wait}self.${verb}("${method.name}", ${argument(method)}, timeout=timeout)${result === "Any" ? "" : "  # type: ignore[no-any-return]"}
`;
    });
    return `class ${name}:
    """${doc}"""

    ${word}def call(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        raise NotImplementedError

    ${word}def subscribe(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        raise NotImplementedError

${body.join("\n")}`;
  };
  return `${HEADER}"""One typed method for each RPC. Names are those of the wire in snake case; parameters keep their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, overload

from .protocol import *  # noqa: F403

if TYPE_CHECKING:
    from ._aio import AsyncSubscription
    from ._sync import Subscription

#: The method that ends a subscription of another.
STREAM_ENDS: Dict[str, str] = {
${ends}}


def _given(**params: Any) -> Dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


${mixin("Api", "The methods, blocking.", false)}

${mixin("AsyncApi", "The methods, for asyncio.", true)}`;
}

/** Bases before the classes that have them. */
function order(declarations) {
  const included = new Set(declarations.flatMap(({ include, variants }) => [include, ...(variants ?? []).map((variant) => variant.include)]));
  return [...declarations.filter(({ name }) => included.has(name)), ...declarations.filter(({ name }) => !included.has(name))];
}

function signature(method, flag) {
  const params = method.fields.map((field) => {
    if (flag && field.name === "dryRun") return flag;
    const name = safe(field.name);
    return field.required ? `${name}: ${type(field.type)}` : `${name}: ${optional(type(field.type))} = None`;
  });
  const sorted = [...params.filter((param) => !param.includes("= None")), ...params.filter((param) => param.includes("= None"))];
  return ["self", "*", ...sorted, "timeout: Optional[float] = None"].map((param) => `\n        ${param},`).join("") + "\n    ";
}

function argument(method) {
  if (method.fields.length === 0) return "{}";
  return `_given(${method.fields.map(({ name }) => `${safe(name)}=${safe(name)}`).join(", ")})`;
}

function safe(name) {
  if (KEYWORDS.has(name)) throw new Error(`${name} is a word of Python and cannot be a parameter`);
  return name;
}

function optional(text) {
  return text.startsWith("Optional[") || text === "Any" ? text : `Optional[${text}]`;
}

function print(declaration) {
  const { name, doc } = declaration;
  switch (declaration.kind) {
    case "alias":
      return [null, alias(name, type(declaration.type, true), doc)];
    case "enum":
      return [null, alias(name, words(declaration), doc)];
    case "struct":
      return [dictionary(name, declaration.include, doc, declaration.fields)];
    case "tagged": {
      const names = declaration.variants.map((variant) => name + pascal(variant.tag));
      const classes = declaration.variants.map((variant, index) =>
        dictionary(names[index], variant.include, variant.doc, variant.fields, `    ${declaration.tag}: Literal["${variant.tag}"]\n`),
      );
      return [classes.join("\n"), alias(name, `Union[${names.map((it) => `"${it}"`).join(", ")}]`, doc)];
    }
    default:
      return [null, alias(name, `Union[${declaration.of.map((it) => type(it, true)).join(", ")}]`, doc)];
  }
}

function words({ values, input }) {
  const literal = `Literal[${values.map(({ value }) => JSON.stringify(value)).join(", ")}]`;
  // What only daemons send may be a word that this version does not know.
  return input ? literal : `Union[${literal}, str]`;
}

function alias(name, value, doc) {
  return `${doc ? `#: ${doc}\n` : ""}${name}: TypeAlias = ${value}\n`;
}

function dictionary(name, include, doc, list, first = "") {
  const body = list.map((field) => {
    const text = type(field.type);
    const line = `    ${field.name}: ${field.required ? text : `NotRequired[${text}]`}\n`;
    return KEYWORDS.has(field.name) ? fail(`${name}.${field.name} is a word of Python`) : line + docstring(field.doc);
  });
  const text = docstring(doc) + first + body.join("");
  return `\nclass ${name}(${include ?? "TypedDict"}):\n${text || "    pass\n"}`;
}

function docstring(doc) {
  return doc ? `    """${doc.replace(/\\/g, "\\\\")}"""\n` : "";
}

function fail(message) {
  throw new Error(message);
}

function type(it, quoted = false) {
  switch (it.kind) {
    case "string":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "any":
      return "Any";
    case "ref":
      return quoted ? `"${it.name}"` : it.name;
    case "array":
      return `List[${type(it.of, quoted)}]`;
    case "map":
      return `Dict[str, ${type(it.of, quoted)}]`;
    default:
      return `Optional[${type(it.of, quoted)}]`;
  }
}
