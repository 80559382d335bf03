function page(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
${head}</head>
<body>
${body}
</body>
</html>
`;
}

/** The reference of the REST interface: Swagger UI over `/openapi.json`. */
export function renderReferencePage(version: string): string {
  const head = `<link rel="stylesheet" href="docs/swagger-ui.css">\n<link rel="stylesheet" href="docs/style.css">\n`;
  const body = `<nav aria-label="Interfaces"><b>symbol-gateway ${escapeHtml(version)}</b>
<a href="openapi.json">OpenAPI</a> <a href="docs/channels">WebSocket and server-sent events</a></nav>
<main id="reference"></main>
<noscript><p>This page needs scripts. The description for programs: <a href="openapi.json">openapi.json</a>.</p></noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/reference.js"></script>`;
  return page("symbol-gateway: REST", head, body);
}

type Described = Readonly<Record<string, unknown>>;

/** The parts of an AsyncAPI document that the page shows. */
interface Messages {
  readonly info: { readonly version: string };
  readonly channels: Readonly<Record<string, { address: string; description: string; messages: Described }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, DescribedMessage>>;
    readonly schemas: Described;
  };
}

interface DescribedMessage {
  readonly title: string;
  readonly summary: string;
  readonly payload: Described;
  readonly examples?: readonly { readonly payload: unknown }[];
}

/**
 * The reference of the messages of `/ws` and `/events`.
 * @param description AsyncAPI 3.0
 */
export function renderChannelsPage(description: Described): string {
  const { info, channels, components } = description as unknown as Messages;
  const interfaces = Object.values(channels).map(
    ({ address, description: text }) => `<dt><code>${escapeHtml(address)}</code></dt><dd>${withCode(text)}</dd>`,
  );
  const entries = Object.entries(components.messages);
  const body = `<nav aria-label="Interfaces"><b>symbol-gateway ${escapeHtml(info.version)}</b>
<a href="../docs">REST</a> <a href="../asyncapi.json">AsyncAPI</a></nav>
<main>
<h1>WebSocket and server-sent events</h1>
<dl>${interfaces.join("")}</dl>
<form id="listen" hidden>
<label>Topic <input name="topic" list="topics" required value="block" spellcheck="false"></label>
<datalist id="topics">${topicsOf(entries).join("")}</datalist>
<button>Listen</button> <output id="state"></output>
<ol id="received" aria-label="Received messages" aria-live="polite"></ol>
</form>
${entries.map(([name, message]) => renderMessage(name, message)).join("\n")}
<h2>Schemas</h2>
${Object.entries(components.schemas)
  .map(
    ([name, schema]) =>
      `<details id="schema-${escapeHtml(name)}"><summary>${escapeHtml(name)}</summary>${json(schema)}</details>`,
  )
  .join("\n")}
</main>
<script src="channels.js"></script>`;
  return page("symbol-gateway: messages", `<link rel="stylesheet" href="style.css">\n`, body);
}

/** Names of the channels, which have data and a sequence. */
function topicsOf(entries: readonly (readonly [string, DescribedMessage])[]): string[] {
  return entries
    .filter(([, { payload }]) => (payload.required as string[] | undefined)?.includes("sequence"))
    .map(([name]) => `<option value="${escapeHtml(name)}"></option>`);
}

function renderMessage(name: string, { title, summary, payload, examples = [] }: DescribedMessage): string {
  const shown = examples.map((example) => `<p>Example</p>${json(example.payload)}`);
  return `<section id="${escapeHtml(name)}"><h2>${escapeHtml(title)}</h2><p>${withCode(summary)}</p>
<details><summary>Schema</summary>${json(payload)}</details>${shown.join("")}</section>`;
}

/** Scrollable, and therefore reachable by keyboard. */
function json(value: unknown): string {
  const text = escapeHtml(JSON.stringify(value, undefined, 2)).replaceAll(
    /&quot;#\/components\/schemas\/(\w+)&quot;/g,
    '<a href="#schema-$1">&quot;#/components/schemas/$1&quot;</a>',
  );
  return `<pre tabindex="0">${text}</pre>`;
}

/** Text in which backticks mark code, as in Markdown. */
function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
