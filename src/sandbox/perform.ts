import type { Simulator } from '#simulator'
import type { Answer } from '../domain/request.ts'
import type { SandboxRequest, SandboxConditions } from '../domain/sandbox.ts'
import { act } from './actions.ts'
import { receive } from './incoming.ts'
import { listMessages } from './messages.ts'
import type { Sandbox } from './sandbox.ts'

/** Rejects with `Refused` if the request is impossible. The account that has the number owns what it creates. */
export async function perform(sandbox: Sandbox, request: SandboxRequest): Promise<Answer<unknown>> {
  return await sandbox.simulator.onBehalfOf(request.phone, () => performAny(sandbox, request))
}

async function performAny(sandbox: Sandbox, request: SandboxRequest): Promise<Answer<unknown>> {
  const { simulator } = sandbox
  switch (request.kind) {
    case 'incoming':
      return { ok: true, value: await receive(sandbox, request.phone, request.incoming) }
    case 'action':
      return { ok: true, value: await act(sandbox, request.phone, request.action) }
    case 'messages':
      return { ok: true, value: await listMessages(simulator, request) }
    case 'conditions':
      return { ok: true, value: conditionsOf(simulator, request.phone, request.contact) }
    case 'passkey':
      return { ok: true, value: simulator.passkey(request.phone).assertion(request.challenge) }
    case 'passkey_code':
      return { ok: true, value: { code: simulator.passkey(request.phone).code() } }
    case 'link':
      await link(simulator, request)
      return { ok: true, value: {} }
    default: {
      const never: never = request
      return never
    }
  }
}

/** The number's own phone scans the code of a new device, or its owner types it. */
async function link(
  simulator: Simulator,
  { phone, accountId, qr, code }: { phone: string; accountId?: string; qr?: string; code?: string },
): Promise<void> {
  if (qr !== undefined) await simulator.linkByQr(qr, phone)
  else if (code !== undefined) await simulator.linkByCode(phone, code)
  if (accountId !== undefined) simulator.giveTo(accountId, phone)
}

/** The state of the number's network, and of one of its contacts. */
function conditionsOf(simulator: Simulator, number: string, contact: string | null): SandboxConditions {
  const phone = contact === null ? undefined : simulator.phones().find(({ digits }) => digits === contact)
  return {
    cutUntilMs: simulator.faults.cutUntil(number),
    online: phone?.isOnline(number) ?? false,
    readReceipts: phone?.readsFrom(number) ?? true,
  }
}
