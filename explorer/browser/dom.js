import htm from "htm";
import { h } from "htm/preact/standalone";

// HTML of the pages. A browser that translates a page replaces its text nodes, and preact then adds its own ones again
// (preactjs/preact#948). So each text is in an element of its own, whose content preact does not change, and which is
// replaced as a whole when the text changes.

export { render, useEffect, useMemo, useRef, useState } from "htm/preact/standalone";

/** Elements that contain nothing but text. */
const TEXT_ONLY = new Set(["title", "option", "text"]);

const enclose = (child, index) => {
  if (Array.isArray(child)) return child.map(enclose);
  const isText = typeof child === "number" || (typeof child === "string" && child.trim() !== "");
  return isText ? h("span", { key: `${index} ${child}`, textContent: child }) : child;
};

export const html = htm.bind((type, props, ...children) =>
  h(type, props, ...(typeof type === "string" && !TEXT_ONLY.has(type) ? children.map(enclose) : children)),
);
