// The kept library that draws pages: preact with htm, and the hooks that we use.
export { html, render, useEffect, useRef, useState } from "htm/preact/standalone";
