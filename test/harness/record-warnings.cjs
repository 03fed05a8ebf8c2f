const { appendFileSync } = require('node:fs')

/** Warnings about Node itself, not about the program. */
const isAboutNode = ({ name, code }) => name === 'ExperimentalWarning' || (code ?? '').startsWith('DEP')

/**
 * Loaded first by every process and thread of a test: records the warnings of Node there, especially of leaking
 * listeners.
 */
process.on('warning', warning => {
  const path = process.env.TEST_WARNINGS
  if (path !== undefined && !isAboutNode(warning)) appendFileSync(path, `${warning.stack}\n`)
})
