import type { Answer } from './client.ts'
import { until } from './until.ts'

/** How long from now a request that is asked for is still answered, until one is refused with 401. */
export async function worksForMs(request: () => Promise<Answer>): Promise<number> {
  const begunAt = performance.now()
  let lastAskedAt = begunAt
  await until(async () => {
    const askedAt = performance.now()
    const { status } = await request()
    if (status === 200) lastAskedAt = askedAt
    return status === 401
  })
  return lastAskedAt - begunAt
}
