/**
 * Lets callers share one statement, as the gateway does: items that arrive while a batch runs form the
 * next one. Each rival's bulk operation is used through this.
 */
export function batchCalls(run, { most = 256, inFlight = 2 } = {}) {
  const waiting = []
  let running = 0
  let isScheduled = false
  const kick = () => {
    isScheduled = false
    while (waiting.length > 0 && running < inFlight) {
      const batch = waiting.splice(0, most)
      running++
      run(batch.map(each => each.item))
        .then(
          () => batch.forEach(each => each.resolve()),
          error => batch.forEach(each => each.reject(error)),
        )
        .finally(() => {
          running--
          if (waiting.length > 0) schedule()
        })
    }
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(kick)
  }
  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}
