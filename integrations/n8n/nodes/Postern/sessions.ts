import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow'
import { fetchAllPages, get } from './transport.ts'

/** The numbers of the account, to choose from. */
export async function getSessions(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const sessions = await fetchAllPages(this, get('/v1/sessions'))
  return sessions.map(({ id, phone, label, state }) => ({
    name: [label, phone].filter(Boolean).join(', '),
    value: String(id),
    description: String(state),
  }))
}
