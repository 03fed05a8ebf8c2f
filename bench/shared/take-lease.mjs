const FOREVER_MS = 3_600_000

/** Takes the lease of this process for as long as it runs. */
export async function takeLease(store, name) {
  await store.leases.recordHeartbeat({ id: 'bench', nodeId: 'bench', pool: 'bench', room: 1, lastsMs: FOREVER_MS })
  await store.leases.addLeases({ names: [name], pool: null })
  return await store.leases.takeLease({ owner: 'bench', name })
}
