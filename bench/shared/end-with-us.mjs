/** A program that ends with the process that started it, also where that ends by an error. */
export function endWithUs(child, signal = 'SIGTERM') {
  const end = () => child.kill(signal)
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}
