const CREDENTIALS = { posternApi: { id: 'postern-credentials', name: 'Postern' } }

/** The credentials in n8n's import format. */
export const credentials = ({ url, key, operatorToken }) => ({
  ...CREDENTIALS.posternApi,
  type: 'posternApi',
  data: { baseUrl: url, apiKey: key, operatorToken },
})

const node = (name, type, parameters, more = {}) => ({
  id: name,
  name,
  type,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more,
})

const postern = (name, parameters, more = {}) =>
  node(name, 'n8n-nodes-postern.postern', parameters, {
    credentials: CREDENTIALS,
    executeOnce: true,
    alwaysOutputData: true,
    ...more,
  })

/** Connects the nodes one after the other. */
const chained = nodes =>
  Object.fromEntries(
    nodes
      .slice(0, -1)
      .map(({ name }, at) => [name, { main: [[{ node: nodes[at + 1].name, type: 'main', index: 0 }]] }]),
  )

const workflow = (id, nodes) => ({ id, name: id, active: false, nodes, connections: chained(nodes), settings: {} })

/** A node for each call; `resourceOf` returns its resource in the editor. */
export const actionWorkflow = (id, calls, resourceOf) =>
  workflow(id, [
    node('Start', 'n8n-nodes-base.manualTrigger', {}),
    ...calls.map(([operation, parameters]) =>
      postern(
        operation,
        { resource: resourceOf(operation), operation, ...parameters },
        { onError: 'continueRegularOutput' },
      ),
    ),
  ])

/** Replies to each message with its own text. */
export const echoWorkflow = (id, session) => {
  const trigger = { sessions: [session], kinds: ['message'], options: {} }
  const text = "={{ $binary.data ? 'A file: ' + $binary.data.mimeType : 'You said: ' + $json.text }}"
  return workflow(id, [
    node('Trigger', 'n8n-nodes-postern.posternTrigger', trigger, {
      credentials: CREDENTIALS,
      webhookId: 'postern-echo',
    }),
    postern('Answer', {
      resource: 'message',
      operation: 'postMessages',
      session_id: session,
      to: '={{ $json.chat_jid }}',
      text,
    }),
  ])
}
