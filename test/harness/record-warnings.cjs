const { appendFileSync } = require('node:fs')

/** About Node as it is, not about what the program does. */
const isAboutNode = ({ name, code }) => name === 'ExperimentalWarning' || (code ?? '').startsWith('DEP')

/** Loaded first by every process and thread of a test: what Node warns of there, listeners that pile up above all. */
process.on('warning', warning => {
  const path = process.env.TEST_WARNINGS
  if (path !== undefined && !isAboutNode(warning)) appendFileSync(path, `${warning.stack}\n`)
})
