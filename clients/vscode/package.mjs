// Writes surfaced-VERSION.vsix: a zip of the extension as editors install it. vsce would do the same with two hundred packages.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const own = dirname(fileURLToPath(import.meta.url));
const pack = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));

/** The files of the extension, by their path in it. Of a dependency only what runs. */
function files() {
  const list = ["package.json", "README.md"];
  const walk = (dir, wanted) => {
    for (const entry of readdirSync(join(own, dir), { withFileTypes: true })) {
      const path = `${dir}/${entry.name}`;
      if (entry.isDirectory()) walk(path, wanted);
      else if (wanted(entry.name)) list.push(path);
    }
  };
  walk("dist", (name) => name.endsWith(".js"));
  for (const name of Object.keys(pack.dependencies)) {
    walk(`node_modules/${name}`, (file) => /\.js$|^package\.json$|^license/i.test(file));
  }
  return list.sort();
}

function manifest() {
  const text = (value) => value.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${text(pack.name)}" Version="${text(pack.version)}" Publisher="${text(pack.publisher)}"/>
    <DisplayName>${text(pack.displayName)}</DisplayName>
    <Description xml:space="preserve">${text(pack.description)}</Description>
    <Tags>${text(pack.keywords.join(","))}</Tags>
    <Categories>${text(pack.categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${text(pack.engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="${text(pack.extensionKind.join(","))}"/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
}

function contentTypes(list) {
  const types = { ".js": "application/javascript", ".json": "application/json", ".md": "text/markdown", ".txt": "text/plain", ".vsixmanifest": "text/xml" };
  const extensions = [...new Set([".vsixmanifest", ...list.map((path) => extname(path))])].filter(Boolean).sort();
  const rows = extensions.map((name) => `<Default Extension="${name}" ContentType="${types[name] ?? "application/octet-stream"}"/>`);
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${rows.join("")}</Types>
`;
}

const list = files();
const stage = mkdtempSync(join(tmpdir(), "vsix-"));
try {
  for (const path of list) {
    mkdirSync(join(stage, "extension", dirname(path)), { recursive: true });
    cpSync(join(own, path), join(stage, "extension", path));
  }
  writeFileSync(join(stage, "extension.vsixmanifest"), manifest());
  writeFileSync(join(stage, "[Content_Types].xml"), contentTypes(list));
  const target = join(process.argv[2] ?? own, `${pack.name}-${pack.version}.vsix`);
  rmSync(target, { force: true });
  // The order matters to readers that stream: the manifest comes first.
  execFileSync("python3", ["-m", "zipfile", "-c", target, "extension.vsixmanifest", "[Content_Types].xml", "extension"], { cwd: stage });
  console.log(target);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
