import { html } from "../dom.js";
import { short } from "../format.js";
import { answered, useQuery } from "../graphql.js";
import { pageOf } from "../paths.js";
import { words } from "../words.js";

// The graph of a multisig account as a picture: who must sign stands below.

const BOX = { width: 150, height: 44, gapX: 18, gapY: 46 };

export function MultisigTree({ address, version }) {
  const answer = useQuery("multisigGraph", { address }, version);
  if (!answer.data?.multisigGraph) return answered(answer, () => "");
  const levels = answer.data.multisigGraph;
  const places = placesOf(levels);
  const width = Math.max(...levels.map(({ entries }) => entries.length)) * (BOX.width + BOX.gapX);
  const height = levels.length * (BOX.height + BOX.gapY) - BOX.gapY + 8;
  const lines = levels.flatMap(({ entries }) =>
    entries.flatMap(({ address: parent, cosignatoryAddresses }) =>
      cosignatoryAddresses.filter((child) => places.has(child)).map((child) => [places.get(parent), places.get(child)]),
    ),
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${words("multisigGraph")}>
    <svg class="multisig" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}>
      <title>${words("multisigGraph")}</title>
      ${lines.map(([from, to]) => html`<line x1=${from.x + BOX.width / 2} y1=${from.y + BOX.height} x2=${to.x + BOX.width / 2} y2=${to.y} />`)}
      ${levels.flatMap(({ entries }) => entries.map((entry) => html`<${Box} entry=${entry} place=${places.get(entry.address)} isHere=${entry.address === address} />`))}
    </svg>
  </div>`;
}

function Box({ entry: { address, account, minApproval, cosignatoryAddresses }, place: { x, y }, isHere }) {
  const note =
    cosignatoryAddresses.length > 0
      ? words("approvals", { min: minApproval, all: cosignatoryAddresses.length })
      : words("cosignatory");
  return html`<a href=${pageOf("account", address)}>
    <title>${address}</title>
    <rect class=${isHere ? "here" : ""} x=${x} y=${y} width=${BOX.width} height=${BOX.height} rx="6" />
    <text x=${x + BOX.width / 2} y=${y + 18}>${nameOf(account?.names[0] ?? short(address))}</text>
    <text class="note" x=${x + BOX.width / 2} y=${y + 35}>${note}</text>
  </a>`;
}

/** A name that fits into its box; the whole address is in the title. */
const nameOf = (name) => (name.length > 16 ? `${name.slice(0, 15)}…` : name);

/** The place of each address: levels from top to bottom, as the gateway orders them. */
function placesOf(levels) {
  const sorted = [...levels].sort((a, b) => a.level - b.level);
  return new Map(
    sorted.flatMap(({ entries }, row) =>
      entries.map(({ address }, column) => [
        address,
        { x: column * (BOX.width + BOX.gapX) + BOX.gapX / 2, y: row * (BOX.height + BOX.gapY) + 4 },
      ]),
    ),
  );
}
