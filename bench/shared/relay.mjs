import { connect, createServer } from 'node:net'

/** A relay between a process and its database that can be cut, silenced or redirected. */
export async function startRelay(targetPort) {
  const pairs = new Set()
  let port = targetPort
  /** `open`; `cut`: no connection is possible; `silent`: connections stay open, but no data passes. */
  let state = 'open'

  const server = createServer(near => {
    if (state === 'cut') return near.resetAndDestroy()
    const far = connect(port, '127.0.0.1')
    const pair = { near, far }
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.setNoDelay(true)
      from.on('data', chunk => to.write(chunk) || from.pause())
      from.on('drain', () => state === 'silent' || to.resume())
      from.on('error', end)
      from.on('close', end)
    }
    if (state === 'silent') hush(pair)
  })

  const hush = ({ near, far }) => {
    near.pause()
    far.pause()
  }
  const resetAll = () => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
  }
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    leadTo: newPort => {
      port = newPort
      resetAll()
    },
    cut: () => {
      state = 'cut'
      resetAll()
    },
    silence: () => {
      state = 'silent'
      pairs.forEach(hush)
    },
    /** Silent connections continue where they stopped, or break. */
    heal: ({ broken = false } = {}) => {
      state = 'open'
      if (broken) return resetAll()
      for (const { near, far } of pairs) {
        near.resume()
        far.resume()
      }
    },
    close: () => {
      server.close()
      resetAll()
    },
  }
}
