/** The Prometheus of the compose file, asked at its address among the containers: it is published nowhere. */
export class Prometheus {
  #url

  constructor({ Networks }) {
    this.#url = `http://${Object.values(Networks)[0].IPAddress}:9090/api/v1/query`
  }

  async ask(query) {
    const answer = await fetch(`${this.#url}?${new URLSearchParams({ query })}`)
    const { status, error, data } = await answer.json()
    if (status !== 'success') throw new Error(`Prometheus: ${error}`)
    return data.result
  }

  /** Which of the roles a query gives this number for. */
  async rolesWith(number, query) {
    const found = await this.ask(query)
    return found.filter(({ value }) => value[1] === String(number)).map(({ metric }) => metric.role)
  }
}
