const { appendFileSync } = require('node:fs')

// About Node as it is, not about what the program does.
const BY_DESIGN = ['ExperimentalWarning']

/** Loaded first by every process and thread of a test: what Node warns of there, listeners that pile up above all. */
process.on('warning', warning => {
  const path = process.env.TEST_WARNINGS
  if (path !== undefined && !BY_DESIGN.includes(warning.name)) appendFileSync(path, `${warning.stack}\n`)
})
