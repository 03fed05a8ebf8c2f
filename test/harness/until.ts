/** Waits for a condition, looking again every few milliseconds; fails when it does not come true in time. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not true within ${withinMs} ms: ${condition}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
