export type StepResult = 'ok' | 'failed' | 'skipped'

/** The outcome of a step. No field holds a number, a name or content. */
export interface StepOutcome {
  step: string
  result: StepResult
  took_ms: number
  note: string
}

export interface TrialReport {
  postern: string
  library: string
  /** `null` if the gateway does not report it. */
  web_version: string | null
  node: string
  network: string
  day: string
  steps: StepOutcome[]
  ok: number
  failed: number
  skipped: number
}

export function reportOf(
  about: { postern: string; library: string; network: string; webVersion: string | null; day: string },
  steps: StepOutcome[],
): TrialReport {
  const count = (result: StepResult): number => steps.filter(step => step.result === result).length
  return {
    postern: about.postern,
    library: about.library,
    web_version: about.webVersion,
    node: process.version,
    network: about.network,
    day: about.day,
    steps,
    ok: count('ok'),
    failed: count('failed'),
    skipped: count('skipped'),
  }
}

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** A table to paste into a report. */
export function tableOf(report: TrialReport): string {
  const { postern, library, web_version: web, node, network, day, steps, ok, failed, skipped } = report
  const width = Math.max(...steps.map(({ step }) => step.length), 4)
  const line = (step: string, result: string, took: string, note: string): string =>
    `${step.padEnd(width)}  ${result.padEnd(7)}  ${took.padStart(8)}  ${note}`.trimEnd()
  return [
    `Postern ${postern}, ${library}, web version ${web ?? 'not shown'}, Node ${node}, network ${network}, ${day}`,
    '',
    line('step', 'result', 'took', 'note'),
    ...steps.map(each => line(each.step, each.result, inSeconds(each.took_ms), each.note)),
    '',
    `${ok} ok, ${failed} failed, ${skipped} skipped. There is no number and nothing that was said in this table.`,
  ].join('\n')
}
