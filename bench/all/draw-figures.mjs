const ROW = 34
const LEFT = 400
const WIDTH = 360
const TONES = { 'as aimed at': '#0f766e', met: '#3f9d93', missed: '#b42318' }

/** A bar for each figure, longer for better: the line is the required value, and the end of the scale twice that. */
export function drawFigures(figures) {
  const height = figures.length * ROW + 60
  return `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="${height}" viewBox="0 0 900 ${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="900" height="${height}" fill="#fff"/>
<text x="20" y="28" font-size="15" font-weight="600" fill="#12211d">Figures beside what they must be</text>
${figures.map(row).join('\n')}
<line x1="${LEFT + WIDTH / 2}" x2="${LEFT + WIDTH / 2}" y1="44" y2="${height - 10}" stroke="#12211d" stroke-dasharray="3 3"/>
</svg>
`
}

function row({ what, value, must, more, verdict }, nth) {
  const y = 50 + nth * ROW
  const goodness = more ? value / must : must / Math.max(value, Number.EPSILON)
  const length = Math.max(2, Math.min(2, goodness) * (WIDTH / 2))
  return `<text x="20" y="${y + 16}" fill="#12211d">${escape(what)}</text>
<rect x="${LEFT}" y="${y + 3}" width="${length.toFixed(0)}" height="18" rx="3" fill="${TONES[verdict]}"/>
<text x="${LEFT + WIDTH + 14}" y="${y + 16}" fill="#12211d">${label(value)} (must ${label(must)})</text>`
}

function label(value) {
  return String(Number(value.toPrecision(3)))
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
