// Swagger UI over the description of this server. Nothing is sent anywhere else.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
const ui = window.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  docExpansion: "none",
  filter: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestSnippetsEnabled: true,
  onComplete: () => document.body.setAttribute("data-ready", "true"),
});
window.ui = ui;
