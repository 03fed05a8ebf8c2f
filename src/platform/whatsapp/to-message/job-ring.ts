/** Work of many owners, one job of each after the other: whoever has much waits for those who have little. */
export class JobRing<Job extends { readonly owner: string }> {
  readonly #byOwner = new Map<string, Job[]>()

  add(job: Job): void {
    this.#byOwner.set(job.owner, [...(this.#byOwner.get(job.owner) ?? []), job])
  }

  take(): Job | undefined {
    const [first] = this.#byOwner
    if (first === undefined) return undefined
    const [owner, [job, ...rest]] = first
    this.#byOwner.delete(owner)
    if (rest.length > 0) this.#byOwner.set(owner, rest)
    return job
  }

  /** Whether it was still there. */
  remove(job: Job): boolean {
    const jobs = this.#byOwner.get(job.owner) ?? []
    const left = jobs.filter(each => each !== job)
    if (left.length === 0) this.#byOwner.delete(job.owner)
    else this.#byOwner.set(job.owner, left)
    return left.length < jobs.length
  }
}
