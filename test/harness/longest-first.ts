import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long, which their size does not show: those with a browser, that kill processes, or mostly wait. */
const LONG = [
  /\/portal\/e2e\//,
  /\/test\/failure\//,
  /whatsapp-dead-link|events-status|endpoint-mails|whatsapp-hanging|whatsapp-gate|worker\/inbox|dispatcher\/lanes/,
]

/** Starts the long files first, so that the run does not end with one of them alone. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex(pattern => pattern.test(moduleId))
      return at === -1 ? LONG.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
