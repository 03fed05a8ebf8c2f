/** A page of text alone, in the style of the reference. */
export function plainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Postern</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
}

export const notBuiltPage = (what: 'portal' | 'documentation'): string =>
  plainPage(
    `The ${what} is not built`,
    `<h1>The ${what} is not built</h1>
<p>The gateway runs, and its API works. To see the ${what} here, run <code>npm run build</code> and start the gateway again.</p>
<p><a href="/docs">The documentation</a></p>`,
  )
