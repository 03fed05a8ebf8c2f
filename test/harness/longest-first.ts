import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes, which their size does not show: those that kill processes and those with a browser. */
const LONG = [/\/test\/failure\//, /\/portal\/e2e\//, /whatsapp-dead-link/]

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
