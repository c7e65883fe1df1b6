// Prints the declarations as Swift: types inside the namespace Wire, and one typed method for each RPC on Client.
// The namespace is needed: Text, State and Layout are also names of SwiftUI.

import { camel, pascal } from "./model.mjs";

const HEADER = "// Generated from schema/openrpc.json by clients/generate/generate.mjs. Do not edit.\n";

const KEYWORDS = new Set(
  "as break case catch class continue default defer deinit do else enum extension fallthrough false fileprivate for func guard if import in init inout internal is let nil operator private protocol public repeat rethrows return self static struct subscript super switch throw throws true try typealias var where while".split(" "),
);

export function types({ declarations }) {
  const body = declarations.map((declaration) => indent(comment(declaration.doc) + print(declaration)));
  return `${HEADER}
/// The types of the protocol.
public enum Wire {
${body.join("\n")}}
`;
}

export function api({ methods }) {
  const body = methods.map((method) => {
    const params = method.required ? `_ params: Wire.${method.params}` : `_ params: Wire.${method.params} = .init()`;
    const verb = method.item ? "subscribe" : "call";
    const result = method.item ? `Subscription<${type(method.item, "Wire.")}>` : type(method.dry?.done ?? method.result, "Wire.");
    const dry = method.dry
      ? `\n    /// What \`${camel(method.name)}\` would do: the same with \`dryRun\`.
    public func ${camel(method.name)}DryRun(${params}) async throws -> ${type(method.dry.shown, "Wire.")} {
        var params = params
        params.dryRun = true
        return try await call("${method.name}", params)
    }\n`
      : "";
    return `    ${comment(method.summary)}    public func ${camel(method.name)}(${params}) async throws -> ${result} {
        try await ${verb}("${method.name}", params)
    }\n${dry}`;
  });
  const ends = methods
    .filter((method) => method.item)
    .map((method) => `    "${method.name}": "${method.end}",\n`)
    .join("");
  return `${HEADER}
extension Client {
${body.join("\n")}}

/// The method that ends a subscription of another.
let streamEnds: [String: String] = [
${ends}]
`;
}

function print(declaration) {
  const codable = declaration.input ? "Codable" : "Decodable";
  switch (declaration.kind) {
    case "alias":
      return `public typealias ${declaration.name} = ${type(declaration.type)}\n`;
    case "enum":
      return words(declaration);
    case "struct":
      return struct(declaration.name, declaration.fields, declaration.include, codable);
    case "tagged":
      return tagged(declaration);
    default:
      return union(declaration);
  }
}

/** A word that this version does not know stays itself: these are structures, not enumerations. */
function words({ name, values }) {
  const known = values.map(({ value, doc }) => `    ${comment(doc)}    public static let ${word(camel(value))} = ${name}(rawValue: "${value}")\n`);
  return `public struct ${name}: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
${known.join("")}}
`;
}

function struct(name, fields, include, codable) {
  if (include) throw new Error(`${name}: included types are known in variants only`);
  const stored = fields.map((field) => `    ${comment(field.doc)}    public var ${word(field.name)}: ${fieldType(field)}\n`);
  const params = fields.map((field) => `${word(field.name)}: ${fieldType(field)}${optionalField(field) ? " = nil" : ""}`);
  const assigns = fields.map((field) => `        self.${field.name} = ${word(field.name)}\n`);
  return `public struct ${name}: ${codable}, Hashable, Sendable {
${stored.join("")}    public init(${params.join(", ")}) {
${assigns.join("")}    }
}
`;
}

function tagged({ name, tag, variants }) {
  const shape = (variant) => variant.include ?? (variant.fields.length > 0 ? pascal(variant.tag) : null);
  const own = variants
    .filter((variant) => !variant.include && variant.fields.length > 0)
    .map((variant) => indent(struct(pascal(variant.tag), variant.fields, undefined, "Decodable")));
  const cases = variants.map((variant) => {
    const payload = shape(variant);
    return `    ${comment(variant.doc)}    case ${word(camel(variant.tag))}${payload ? `(${payload})` : ""}\n`;
  });
  const decodes = variants.map((variant) => {
    const payload = shape(variant);
    const value = payload ? `(try ${payload}(from: decoder))` : "";
    return `        case "${variant.tag}": self = .${camel(variant.tag)}${value}\n`;
  });
  return `public enum ${name}: Decodable, Hashable, Sendable {
${own.join("")}${cases.join("")}    /// Something that this version does not know.
    case unknown(JSONValue)

    private enum CodingKeys: String, CodingKey {
        case ${word(tag)}
    }
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .${word(tag)}) {
${decodes.join("")}        default: self = .unknown(try JSONValue(from: decoder))
        }
    }
}
`;
}

/** Tries the members in order; those with required fields come first in the schema. */
function union({ name, of }) {
  const label = (it) => (it.kind === "ref" ? camel(it.name) : { integer: "index", string: "name" }[it.kind]);
  const cases = of.map((it) => `    case ${label(it)}(${type(it)})\n`);
  const tries = of.slice(0, -1).map((it) => `        if let value = try? ${type(it)}(from: decoder) {
            self = .${label(it)}(value)
            return
        }\n`);
  const last = of.at(-1);
  return `public enum ${name}: Decodable, Hashable, Sendable {
${cases.join("")}
    public init(from decoder: any Decoder) throws {
${tries.join("")}        self = .${label(last)}(try ${type(last)}(from: decoder))
    }
}
`;
}

function optionalField(field) {
  return !field.required || field.type.kind === "nullable" || (field.type.kind === "any" && !field.required);
}

function fieldType(field) {
  const text = type(field.type);
  return optionalField(field) && !text.endsWith("?") ? `${text}?` : text;
}

function type(it, namespace = "") {
  switch (it.kind) {
    case "string":
      return "String";
    case "integer":
      return "Int";
    case "number":
      return "Double";
    case "boolean":
      return "Bool";
    case "any":
      return "JSONValue";
    case "ref":
      return namespace + it.name;
    case "array":
      return `[${type(it.of, namespace)}]`;
    case "map":
      return `[String: ${type(it.of, namespace)}]`;
    default:
      return `${type(it.of, namespace)}?`;
  }
}

function word(name) {
  return KEYWORDS.has(name) ? `\`${name}\`` : name;
}

function comment(doc) {
  return doc ? `/// ${doc}\n` : "";
}

function indent(text) {
  return text.replace(/^(?=.)/gm, "    ");
}
