/** The reference's look: follows the reader's light or dark theme, from a phone to a wide screen. */
export const DOCS_CSS = `
:root { color-scheme: light dark; --fg: #18211f; --soft: #55625e; --bg: #fff; --line: #dfe5e3; --code: #f3f6f5; --accent: #0b6b57; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6ecea; --soft: #a3b0ac; --bg: #111615; --line: #29322f; --code: #1a2220; --accent: #5fd0b5; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; display: grid; grid-template-columns: 300px minmax(0, 1fr); font: 15px/1.55 system-ui, sans-serif; color: var(--fg); background: var(--bg); }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--bg); padding: 8px; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 24px 16px; border-right: 1px solid var(--line); font-size: 13px; }
nav ul { list-style: none; margin: 0 0 16px; padding: 0; }
nav li a { display: block; padding: 3px 8px; border-radius: 6px; text-decoration: none; color: var(--soft); overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: 12px; }
nav li a:hover { background: var(--code); color: var(--fg); }
nav h3 { margin: 0 8px 4px; font-size: 12px; }
.brand { margin: 0 8px 16px; font-weight: 650; font-size: 16px; }
.brand span { color: var(--soft); font-weight: 400; font-size: 12px; }
main { padding: 32px clamp(16px, 4vw, 64px); max-width: 1100px; }
h1 { font-size: 28px; margin: 0 0 8px; }
h2 { margin: 48px 0 8px; font-size: 21px; }
article { border-top: 1px solid var(--line); padding: 24px 0; }
article h3 { font-size: 16px; margin: 0 0 8px; overflow-wrap: anywhere; }
article h4 { margin: 16px 0 4px; font-size: 13px; color: var(--soft); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: 13px; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: 12px; overflow: auto; }
.method { font: 600 12px ui-monospace, monospace; color: var(--accent); border: 1px solid currentColor; border-radius: 6px; padding: 1px 6px; }
.scope { color: var(--soft); font-size: 13px; }
.scroll { overflow: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 500; }
@media (max-width: 800px) { body { display: block; } nav { position: static; height: auto; border: 0; } nav ul { display: none; } }
`
