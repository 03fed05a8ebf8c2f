const CREDENTIALS = { posternApi: { id: 'postern-credentials', name: 'Postern' } }

/** The credentials as n8n imports them. */
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

/** One after the other. */
const chained = nodes =>
  Object.fromEntries(
    nodes
      .slice(0, -1)
      .map(({ name }, at) => [name, { main: [[{ node: nodes[at + 1].name, type: 'main', index: 0 }]] }]),
  )

const workflow = (id, nodes) => ({ id, name: id, active: false, nodes, connections: chained(nodes), settings: {} })

/** A node for each call; `resourceOf` says where in the editor it stands. */
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

/** Whoever writes to the number is answered with what was said. */
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
