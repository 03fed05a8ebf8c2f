import { versionText } from '../domain/client-version.ts'
import type { PlatformName } from '../domain/session.ts'
import { versionAsker } from '../platform/whatsapp/version/ask-version.ts'
import { ClientVersions, type VersionNews } from '../platform/whatsapp/version/client-versions.ts'
import type { WhatsAppNetwork } from '../platform/whatsapp/whatsapp.ts'
import type { Store } from '../store/store.ts'
import type { HostDeps } from './deps.ts'

type Deps = Pick<HostDeps, 'clock' | 'config' | 'log'> & { store: Pick<Store, 'platformVersions'> }

/** The versions of a network's web client: what one node learns, all know, also after a restart. */
export function makeClientVersions(deps: Deps, platform: PlatformName, network: WhatsAppNetwork): ClientVersions {
  const { clock, config, log, store } = deps
  return new ClientVersions({
    clock,
    ask: versionAsker(network, clock),
    pin: platform === 'whatsapp' ? config.whatsappRevision : null,
    memory: {
      read: () => store.platformVersions.readVersion(platform),
      keep: version => store.platformVersions.keepVersion({ platform, ...version }),
      forget: revision => store.platformVersions.forgetVersion({ platform, revision }),
    },
    onNews: news => logNews(log, platform, news),
  })
}

function logNews(log: Deps['log'], platform: PlatformName, news: VersionNews): void {
  const { revision, source, learntAtMs, expiresAtMs } = news.version
  const used = { platform, version: versionText(revision), source, learnt_at: new Date(learntAtMs).toISOString() }
  if (news.kind === 'not_learnt') log.warn({ ...used, reasons: news.failures }, 'version.not_learnt')
  else if (news.kind === 'learnt') log.info(used, 'version.learnt')
  else log.warn({ ...used, expires_at: expiresAtMs && new Date(expiresAtMs).toISOString() }, 'version.expires')
}
