// Shows the messages of a topic as they arrive.
const MOST = 50;
const form = document.querySelector("#listen");
const state = document.querySelector("#state");
const received = document.querySelector("#received");
let source;

function show(text) {
  const item = document.createElement("li");
  const line = document.createElement("code");
  line.textContent = text;
  item.append(line);
  received.prepend(item);
  while (received.children.length > MOST) received.lastElementChild.remove();
}

async function reasonOf(url) {
  const response = await fetch(url, { method: "HEAD" });
  return `rejected with status ${response.status}`;
}

function listen(topic) {
  source?.close();
  const url = `../events?${new URLSearchParams({ topic })}`;
  source = new EventSource(url);
  state.value = "connecting";
  source.onopen = () => {
    state.value = `listening to ${topic}`;
  };
  source.onmessage = ({ data }) => show(data);
  source.onerror = async () => {
    state.value = source.readyState === EventSource.CLOSED ? await reasonOf(url) : "reconnecting";
  };
}

form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  listen(new FormData(form).get("topic").trim());
});
