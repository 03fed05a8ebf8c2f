import { createHash } from 'node:crypto'
import type { IExecuteFunctions } from 'n8n-workflow'
import { NodeOperationError, sleep } from 'n8n-workflow'
import { type ApiRequest, type Call, eventsOf, FieldError, requestOf, type Values } from './call.ts'
import { CALLS } from './descriptions/calls.ts'
import { fetchAllPages, sendRequest } from './transport.ts'

/** Makes the call that the editor describes for one item, and returns the resulting items. */
export async function perform(node: IExecuteFunctions, itemIndex: number): Promise<Values[]> {
  const call = CALLS[node.getNodeParameter('operation', itemIndex)]
  if (call === undefined) throw new NodeOperationError(node.getNode(), 'There is no such operation', { itemIndex })
  const request = { ...requestFor(node, call, itemIndex), token: call.token, itemIndex }
  if (call.answer === 'pages') return await fetchAllPages(node, request, limitOf(node, itemIndex))
  if (call.answer === 'stream') return await watch(node, request, itemIndex)
  const answer = await sendRequest(node, request)
  return call.answer === 'list' ? (answer as { data: Values[] }).data : [answer as Values]
}

function requestFor(node: IExecuteFunctions, call: Call, itemIndex: number): ApiRequest {
  const inSight = Object.fromEntries(call.inSight.map(({ name }) => [name, node.getNodeParameter(name, itemIndex)]))
  const collection = call.method === 'GET' ? 'filters' : 'additionalFields'
  const added = call.added.length === 0 ? {} : (node.getNodeParameter(collection, itemIndex, {}) as Values)
  const request = withWords(node, itemIndex, () => requestOf(call, inSight, added))
  if (call.hasIdempotencyKey !== true) return request
  const given = String(node.getNodeParameter('idempotencyKey', itemIndex, ''))
  return { ...request, headers: { 'Idempotency-Key': given === '' ? ownKey(node, itemIndex) : given } }
}

function withWords<T>(node: IExecuteFunctions, itemIndex: number, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    throw new NodeOperationError(node.getNode(), error.message, { itemIndex })
  }
}

/** The same for each attempt of one item in one execution, and unique otherwise. */
function ownKey(node: IExecuteFunctions, itemIndex: number): string {
  const { $runIndex } = node.getWorkflowDataProxy(itemIndex)
  const parts = [
    node.getInstanceId(),
    node.getWorkflow().id,
    node.getExecutionId(),
    node.getNode().id,
    $runIndex,
    itemIndex,
  ]
  return `n8n-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`
}

const limitOf = (node: IExecuteFunctions, itemIndex: number): number =>
  node.getNodeParameter('returnAll', itemIndex, false) === true
    ? Number.POSITIVE_INFINITY
    : Number(node.getNodeParameter('limit', itemIndex, 50))

/** The events of a stream until it ends or the requested time is over. */
async function watch(node: IExecuteFunctions, request: ApiRequest, itemIndex: number): Promise<Values[]> {
  const ms = Number(node.getNodeParameter('seconds', itemIndex, 30)) * 1000
  const stream = (await sendRequest(node, { ...request, encoding: 'stream', itemIndex })) as NodeJS.ReadableStream & {
    destroy(): void
  }
  const chunks: Buffer[] = []
  const read = async (): Promise<void> => {
    for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  }
  const isCut = (error: Error & { code?: string }): void => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  await Promise.race([read().catch(isCut), sleep(ms)])
  stream.destroy()
  return eventsOf(Buffer.concat(chunks).toString('utf8'))
}
