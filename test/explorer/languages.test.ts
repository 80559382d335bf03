import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { LANGUAGES } from "../../gateway/languages/languages.js";

// The files of languages against each other, and against the pages that use them.

const ROOT = new URL("../../../", import.meta.url);
const FOLDER = "explorer/";
/** Names of interfaces, which are the same in all languages. */
const NAMES = /symbol-gateway|REST|GraphQL/g;

const files = readdirSync(new URL(FOLDER, ROOT), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(js|html)$/.test(name))
  .map((name) => ({ name, text: readFileSync(new URL(FOLDER + name, ROOT), "utf8") }));
const scripts = files.filter(({ name }) => name.endsWith(".js"));
const all = files.map(({ text }) => text).join("\n") + readFileSync(new URL(`${FOLDER}explorer.ts`, ROOT), "utf8");

/** Every text of a language by its path, such as `pages.height`. */
function textsOf(group: object, path = ""): [path: string, text: string][] {
  return Object.entries(group).flatMap(([name, value]) =>
    typeof value === "string" ? [[path + name, value] as [string, string]] : textsOf(value, `${path}${name}.`),
  );
}

const placesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

test("all languages have the same texts with the same places, and none is empty", () => {
  const [english, ...others] = Object.values(LANGUAGES).map((language) => textsOf(language));
  const places = (texts: [string, string][]) => texts.map(([path, text]) => [path, placesOf(text)]);
  for (const other of others) expect(places(other)).toEqual(places(english!));
  const empty = [english, ...others].flatMap((texts) => texts!.filter(([, text]) => text.trim() === ""));
  expect(empty).toEqual([]);
});

test("texts that are Japanese are not the English ones", () => {
  const english = new Map(textsOf(LANGUAGES.en));
  const same = textsOf(LANGUAGES.ja).filter(([path, text]) => english.get(path) === text);
  expect(same.map(([path]) => path).filter((path) => !/^pages\.role\.(api|ipv4|ipv6)$/.test(path))).toEqual([]);
});

test("every name of a text that a page has is in the files, and every text is on a page", () => {
  const { pages, counts, transactions } = LANGUAGES.en;
  const used = (pattern: RegExp) => [...all.matchAll(pattern)].map(([, name]) => name!);
  const lacking = [
    ...used(/\bwords\("([^"]+)"/g).filter((name) => !(name in pages)),
    ...used(/\{\{(\w+)\}\}/g).filter((name) => !(name in pages)),
    ...used(/\b(?:title|label|what)="([^"]*)"/g).filter((name) => !(name in pages) && !/^\{\{/.test(name)),
    ...used(/\bcounted\("([^"]+)"/g).filter((name) => !(name in counts)),
    ...used(/\bsentence\("([^"]+)"/g).filter((name) => !(name in transactions)),
  ];
  expect(lacking).toEqual([]);
  // Some names begin with a group, and end in a value: `group.${status.group}`.
  const prefixes = used(/\bwords\(`(\w+\.)\$\{/g);
  const isUsed = (name: string) =>
    all.includes(`"${name}"`) || all.includes(`{{${name}}}`) || prefixes.some((prefix) => name.startsWith(prefix));
  const endings = used(/`\$\{name\}(\w+)`/g);
  const isSentence = (name: string) => isUsed(name) || endings.some((ending) => isUsed(name.replace(ending, "")));
  expect([...Object.keys(pages), ...Object.keys(counts)].filter((name) => !isUsed(name))).toEqual([]);
  expect(Object.keys(transactions).filter((name) => !isSentence(name))).toEqual([]);
});

test("no page has a sentence of its own", () => {
  const found = files.flatMap(({ name, text }) => {
    const code = text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, "").replaceAll(NAMES, "");
    return [
      // Between tags and values.
      ...[...code.matchAll(/(?<!=)[>}]([^<>{}$`=;()?:]*[A-Za-z]{2}[^<>{}$`=;()?:]*)(?:<[/$a-z]|\$\{)/g)].map(
        ([, words]) => words!.trim(),
      ),
      // What an element says to people.
      ...[...code.matchAll(/\b(?:aria-label|placeholder|alt)="([^"{$]+)"/g)].map(([, words]) => words!),
    ].map((words) => `${name}: ${words}`);
  });
  expect(found).toEqual([]);
  const styles = readdirSync(new URL(`${FOLDER}browser/`, ROOT)).filter((name) => name.endsWith(".css"));
  expect(
    styles.filter((name) =>
      /content: "[^"]*[A-Za-z]/.test(readFileSync(new URL(`${FOLDER}browser/${name}`, ROOT), "utf8")),
    ),
  ).toEqual([]);
  // Words with a space between them are for people, unless they are classes.
  const classes = /^"(?:(?:main|aside|end|flexible|low|mid|number|to|labelled|text|tile|broad|address|faint) ?)+"$/;
  const sentences = scripts.flatMap(({ name, text }) =>
    text
      .split("\n")
      .filter((line) => !/^\s*(\/\/|\/?\*|import )/.test(line))
      .flatMap((line) => line.match(/"[A-Za-z][a-z]* [a-z][^"]*"/g) ?? [])
      .filter((words) => !classes.test(words))
      .map((words) => `${name}: ${words}`),
  );
  expect(sentences).toEqual([]);
});
