/** Waits for an answer that is true, looking again every few milliseconds, and returns it; fails when none comes in time. */
export async function until<T>(look: () => T | Promise<T>, withinMs = 30_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await look()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(`not true within ${withinMs} ms: ${look}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
