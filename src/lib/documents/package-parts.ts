/** Reads what an Office document declares about its parts: content types, and relationships, which point to them. */
import { hasUnknownCharset, readCharsets } from "./declared-charsets.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import { attributeValues, type MarkupVisitor, walkMarkup } from "./walk-markup.ts";

export interface PackageParts {
  /** Adds what a part with the text `source` declares about others. */
  add: (name: string, source: string) => Promise<void>;
  typeOf: (name: string) => PartType | undefined;
  /** Returns whether a part holds printer settings or a font. Call it when all parts are added. */
  isDeviceData: (name: string) => boolean;
}

interface PartType {
  content_type: string;
  charsets: readonly string[];
  hasUnknownCharset: boolean;
}

export function createPackageParts(slicer: TimeSlicer): PackageParts {
  const types = new Map<string, PartType>();
  /** Names in the targets of relationships: of those for printer settings and fonts, and of all others. */
  const deviceTargets = new Set<string>();
  const otherTargets = new Set<string>();
  let mayInsertParts = false;
  const visitor: MarkupVisitor = {
    isXml: true,
    text: () => {},
    comment: () => {},
    tag({ name, closing, attributes }) {
      const local = closing ? "" : name.slice(name.indexOf(":") + 1);
      const value = (attribute: string) =>
        attributeValues(attributes, (each) => each === attribute)[0] ?? "";
      if (local === "relationship") {
        const targets = DEVICE_RELATIONSHIP.test(value("type")) ? deviceTargets : otherTargets;
        const target = value("target");
        // The attributes of a huge tag are not read.
        mayInsertParts ||= target === "";
        for (const each of namesIn(target)) targets.add(each);
      } else if (local === "default") {
        types.set(`.${value("extension").toLowerCase()}`, toType(value("contenttype")));
      } else if (local === "override") {
        types.set(toPath(value("partname")), toType(value("contenttype")));
      }
      return false;
    },
  };
  const typeOf = (name: string) => {
    const path = toPath(`/${name}`);
    return types.get(path) ?? types.get(path.slice(path.lastIndexOf(".")));
  };
  return {
    async add(name, source) {
      // LibreOffice inserts a part regardless of the type of the relationship.
      mayInsertParts ||= source.includes("altChunk");
      if (hasContentTypes(name) || /\.rels$/i.test(name)) await walkMarkup(source, visitor, slicer);
    },
    typeOf,
    isDeviceData(name) {
      const [part = ""] = namesIn(name).slice(-1);
      const isOnlyDevice = deviceTargets.has(part) && !otherTargets.has(part);
      const type = typeOf(name);
      const isDeviceType = !type || DEVICE_TYPE.test(type.content_type);
      return isOnlyDevice && isDeviceType && !mayInsertParts;
    },
  };
}

/** At once: many parts may have the same long type. */
const toType = (content_type: string): PartType => ({
  content_type,
  charsets: readCharsets(content_type),
  hasUnknownCharset: hasUnknownCharset(content_type),
});

/** Returns whether a part has the content types of all others. */
export const hasContentTypes = (name: string): boolean => CONTENT_TYPES.test(name);

const CONTENT_TYPES = /^\/?\[Content_Types\]\.xml$/i;
const DEVICE_RELATIONSHIP = /\/relationships\/(?:printerSettings|font)$/;
const DEVICE_TYPE = /^(?:font\/|application\/[\w.-]*(?:printersettings|font))[\w.-]*$/i;

/** Names of parts ignore case, and may have escapes. */
function toPath(name: string): string {
  const bytes = Buffer.from(name).toString("latin1");
  const unescaped = bytes.replace(/%([\da-f]{2})/gi, (_, hex) => {
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
  return Buffer.from(unescaped, "latin1").toString().toLowerCase();
}

/** Returns the names of all folders and of the file, because readers resolve paths differently. */
const namesIn = (path: string): string[] =>
  toPath(path)
    .split(/[\\/?#]/)
    .map((each) => each.trim());
