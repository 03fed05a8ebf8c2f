import { answerParent } from '../shared/child.mjs'
import { startRelay } from '../shared/relay.mjs'

/** The relays, in a separate process so that other work does not delay them. */
const relays = new Map()

answerParent({
  open: async ({ name, port }) => {
    const relay = await startRelay(port)
    relays.set(name, relay)
    return relay.port
  },
  cut: name => relays.get(name).cut(),
  silence: name => relays.get(name).silence(),
  heal: ({ name, broken }) => relays.get(name).heal({ broken }),
  leadTo: port => relays.forEach(relay => relay.leadTo(port)),
})
