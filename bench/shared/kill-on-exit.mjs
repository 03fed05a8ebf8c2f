/** Kills the child when this process exits, also after an error. */
export function killOnExit(child, signal = 'SIGTERM') {
  const end = () => child.kill(signal)
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}
