import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { rejectUnknown } from '../src/boot/known-settings.ts'
import { ownFolder } from '../scripts/image/own-folder.mjs'
import { installPackages } from './harness/programs.ts'

const TOOLS = join(homedir(), '.cache/postern-helm')
const NEEDED = { publicUrl: 'https://gateway.example.com', existingSecret: 'postern' }
const ROLES = ['api', 'worker', 'dispatcher']

type Values = Record<string, unknown>
interface Manifest extends Values {
  apiVersion: string
  kind: string
  metadata: { name: string; labels: Record<string, string> }
  spec: Values
}
interface Tools {
  render(values: Values, chart?: string): string
  parse(text: string): Manifest[]
  /** What Kubernetes would reject: wrong types, missing fields, and unknown names. */
  faultsOf(manifest: Manifest): string[]
  /** The errors of the chart's own schema for these values. */
  refuses(values: Values): string[]
}

let tools: Tools
let chart: string

beforeAll(async () => {
  const { CHART, DEBIAN, chartTools, renderChart } = await import('../scripts/helm/chart.mjs' as string)
  const { faultFinder } = await import('../scripts/helm/faults.mjs' as string)
  installPackages(...DEBIAN)
  const { program, load, require } = await chartTools(ownFolder(TOOLS))
  chart = CHART
  const { parse, parseAllDocuments } = await load('yaml')
  const { default: Ajv } = (await load('ajv')).default
  const validate = new Ajv({ strict: false }).compile(
    JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')),
  )
  const defaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'))
  tools = {
    render: (values, path) => renderChart(program, values, path),
    parse: text =>
      parseAllDocuments(text, { strict: true, uniqueKeys: true }).map(
        (document: { errors: Error[]; toJS(): Manifest }) => {
          if (document.errors.length > 0) throw document.errors[0]!
          return document.toJS()
        },
      ),
    faultsOf: faultFinder(require),
    refuses: values => (validate({ ...defaults, ...values }) ? [] : (validate.errors ?? []).map(String)),
  }
})

const manifests = (values: Values = {}): Manifest[] => tools.parse(tools.render({ ...NEEDED, ...values }))
const ofKind = (all: Manifest[], kind: string): Manifest[] => all.filter(each => each.kind === kind)

interface Pod {
  metadata: { labels: Record<string, string> }
  spec: Values & { containers: Container[]; terminationGracePeriodSeconds: number; volumes: Array<{ name: string }> }
}
interface Container extends Values {
  env: Array<{ name: string; value: string }>
  ports: Array<{ name: string; containerPort: number }>
  volumeMounts: Array<{ name: string; mountPath: string }>
}
const podOf = ({ spec }: Manifest): Pod => spec.template as Pod

const VARIANTS: Record<string, Values> = {
  'as it is': {},
  embedded: { store: 'embedded' },
  'embedded with a class of disks': { store: 'embedded', embedded: { persistence: { storageClass: 'fast' } } },
  'everything on': {
    secretKeys: { databaseDirectUrl: 'database_direct_url', otlpHeaders: 'otlp_headers', smtpUrl: 'smtp_url' },
    imagePullSecrets: [{ name: 'registry' }],
    settings: { POSTERN_LOG_LEVEL: 'warn', POSTERN_MAX_SESSIONS: 500, POSTERN_SMTP_FROM: 'postern@example.com' },
    ...Object.fromEntries(ROLES.map(role => [role, { autoscaling: { enabled: true } }])),
    ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate', annotations: { a: 'b' } },
    networkPolicy: {
      apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
      metricsFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
      databaseTo: [{ ipBlock: { cidr: '10.1.2.3/32' } }],
      bucketTo: [{ ipBlock: { cidr: '10.1.2.4/32' } }],
      mailTo: [{ ipBlock: { cidr: '10.1.2.5/32' } }],
    },
    mediaBucket: { endpoint: 'https://s3.internal', bucket: 'postern-media' },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    podAnnotations: { a: 'b' },
    podLabels: { team: 'messaging' },
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'a', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
  },
  'everything off': {
    networkPolicy: { enabled: false },
    podDisruptionBudget: { enabled: false },
    migrate: { enabled: false },
  },
}

describe('The chart', () => {
  it.each(Object.keys(VARIANTS))('renders valid Kubernetes manifests for %s, each object once', name => {
    const all = manifests(VARIANTS[name])
    expect(all.length).toBeGreaterThan(3)
    expect(
      all.flatMap(manifest =>
        tools.faultsOf(manifest).map(fault => `${manifest.kind} ${manifest.metadata.name}: ${fault}`),
      ),
    ).toEqual([])
    const names = all.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
  })

  it('has a check that finds a misspelt field, a wrong type and a missing one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'chart-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    cpSync(chart, folder, { recursive: true })
    const path = join(folder, 'templates/deployments.yaml')
    const text = readFileSync(path, 'utf8')
    const broken = text
      .replace('maxUnavailable: 0', 'maxUnavailible: 0')
      .replace('revisionHistoryLimit: 5', 'revisionHistoryLimit: five')
    expect(broken).not.toBe(text)
    writeFileSync(path, broken.replace('  selector:\n', '  selectors:\n'))
    const faults = ofKind(tools.parse(tools.render(NEEDED, folder)), 'Deployment').flatMap(each => tools.faultsOf(each))
    expect(faults.join('\n')).toMatch(/maxUnavailible/)
    expect(faults.join('\n')).toMatch(/revisionHistoryLimit/)
    expect(faults.join('\n')).toMatch(/selector/)
  })

  it.each(['publicUrl', 'existingSecret'])('is rejected without %s, with the remedy', name => {
    expect(() => tools.render({ ...NEEDED, [name]: '' })).toThrow(`${name} is needed`)
    expect(tools.refuses({ ...NEEDED, [name]: '' })).not.toEqual([])
  })

  it('is rejected with a storage and no bucket', () => {
    const mediaBucket = { endpoint: 'https://s3.internal' }
    expect(() => tools.render({ ...NEEDED, mediaBucket })).toThrow('mediaBucket.bucket is needed')
  })

  it.each([
    ['a name that there is not', { workers: {} }],
    ['a secret among the settings', { settings: { POSTERN_SECRET_KEY: 'x' } }],
    ['the token of metrics among the settings', { settings: { POSTERN_METRICS_TOKEN: 'x' } }],
    ['the address of a mail server, which has a password, among the settings', { settings: { POSTERN_SMTP_URL: 'x' } }],
    ['the token of a collector among the settings', { settings: { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=x' } }],
    ['the same for traces alone', { settings: { OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=x' } }],
    ['roles among the settings', { settings: { POSTERN_ROLES: 'api' } }],
    ['an address that is not https', { publicUrl: 'http://gateway.example.com' }],
    ['another store', { store: 'mysql' }],
    [
      'no process',
      { api: { replicas: 0, resources: {}, autoscaling: { enabled: false, minReplicas: 1, maxReplicas: 1 } } },
    ],
  ])('has a schema that rejects %s', (_, values) => {
    expect(tools.refuses({ ...NEEDED })).toEqual([])
    expect(tools.refuses({ ...NEEDED, ...values })).not.toEqual([])
  })
})

describe('The workload of the chart', () => {
  const workloads = (values: Values = {}) => {
    const all = manifests(values)
    return [...ofKind(all, 'Deployment'), ...ofKind(all, 'StatefulSet'), ...ofKind(all, 'Job')]
  }

  it('is each role as a deployment, without a simulator, or one process with a volume', () => {
    const roles = (values?: Values) =>
      workloads(values).flatMap(each =>
        podOf(each)
          .spec.containers[0]!.env.filter(({ name }) => name === 'POSTERN_ROLES')
          .map(({ value }) => value),
      )
    expect(roles({ migrate: { enabled: false } })).toEqual(ROLES)
    expect(roles({ store: 'embedded' })).toEqual([ROLES.join(',')])
    const [one] = ofKind(manifests({ store: 'embedded' }), 'StatefulSet')
    expect(one!.spec.replicas).toBe(1)
    expect(one!.spec.volumeClaimTemplates).toHaveLength(1)
  })

  it.each(['postgres', 'embedded'])(
    'with %s has no root user, writes only to volumes, and has no access to the cluster',
    store => {
      for (const { spec } of workloads({ store }).map(podOf)) {
        expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
        expect(spec.securityContext).toMatchObject({
          runAsNonRoot: true,
          runAsUser: 10001,
          seccompProfile: { type: 'RuntimeDefault' },
        })
        const [container] = spec.containers
        expect(container!.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        const volumes = [...spec.volumes.map(({ name }) => name), ...(store === 'embedded' ? ['data'] : [])]
        expect(container!.volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted())
      }
    },
  )

  it('gets existing settings, and secrets as mounted files, the operator’s token only in the api', () => {
    const mediaBucket = { endpoint: 'https://s3.internal', bucket: 'postern-media' }
    for (const { spec } of workloads({
      secretKeys: { databaseDirectUrl: 'direct', smtpUrl: 'smtp_url' },
      mediaBucket,
    }).map(podOf)) {
      const { env, volumeMounts, name: container } = spec.containers[0]!
      const settings = Object.fromEntries(env.map(({ name, value }) => [name, value]))
      expect(() => rejectUnknown(settings)).not.toThrow()
      const files = Object.entries(settings).filter(([name]) => name.endsWith('_FILE'))
      const isApi = container === 'postern' && settings['POSTERN_ROLES'] === 'api'
      const operator = isApi ? ['OPERATOR_TOKEN'] : []
      expect(files.map(([name]) => name)).toEqual(
        [
          'SECRET_KEY',
          ...operator,
          'METRICS_TOKEN',
          'DATABASE_URL',
          'DATABASE_DIRECT_URL',
          'MEDIA_S3_ACCESS_KEY_ID',
          'MEDIA_S3_SECRET_ACCESS_KEY',
          'SMTP_URL',
        ].map(name => `POSTERN_${name}_FILE`),
      )
      const secret = spec.volumes.find(({ name }) => name === 'secrets') as unknown as {
        secret: { items: Array<{ path: string }> }
      }
      const mounted = secret.secret.items.map(({ path }) => `${volumeMounts[0]!.mountPath}/${path}`)
      expect(files.map(([, path]) => path)).toEqual(mounted)
      expect(JSON.stringify(spec)).not.toMatch(
        /secretKeyRef|POSTERN_(SECRET_KEY|OPERATOR_TOKEN|METRICS_TOKEN|DATABASE_URL|MEDIA_S3_ACCESS_KEY_ID|MEDIA_S3_SECRET_ACCESS_KEY|SMTP_URL)"/,
      )
    }
  })

  it('is replaced by one more, then one less, with time for the pause and the drain', () => {
    const deployments = ofKind(manifests(), 'Deployment')
    expect(deployments).toHaveLength(3)
    for (const deployment of deployments) {
      expect(deployment.spec.strategy).toEqual({
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
      })
      const { spec } = podOf(deployment)
      const pause = Number(/(\d+)\)"/.exec(JSON.stringify(spec.containers[0]!.lifecycle ?? ''))?.[1] ?? 0) / 1000
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(pause + 20 + 5)
    }
  })

  it('is probed at a port that it has: liveness by /healthz, readiness by /readyz', () => {
    for (const { spec } of [...workloads({ migrate: { enabled: false } }), ...workloads({ store: 'embedded' })].map(
      podOf,
    )) {
      const [container] = spec.containers
      const at = (probe: string) => (container![probe] as { httpGet: { path: string; port: string } }).httpGet
      expect([at('startupProbe').path, at('livenessProbe').path, at('readinessProbe').path]).toEqual([
        '/healthz',
        '/healthz',
        '/readyz',
      ])
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect(container!.ports.map(({ name }) => name)).toContain(at(probe).port)
      const { periodSeconds, failureThreshold } = container!.startupProbe as Record<string, number>
      expect(periodSeconds! * failureThreshold!).toBeGreaterThan(120)
    }
  })
})

describe('The chart’s other objects', () => {
  const labelsOf = (selector: unknown): Record<string, string> =>
    ((selector as { matchLabels?: Record<string, string> }).matchLabels ?? selector) as Record<string, string>
  const selects = (selector: unknown, labels: Record<string, string>): boolean =>
    Object.entries(labelsOf(selector)).every(([name, value]) => labels[name] === value)

  it.each(['postgres', 'embedded'])('with %s have selectors that find their pods, and no others', store => {
    const all = manifests({ store })
    const pods = [...ofKind(all, 'Deployment'), ...ofKind(all, 'StatefulSet')].map(each => ({
      component: each.metadata.labels['app.kubernetes.io/component'],
      own: each.spec.selector,
      labels: podOf(each).metadata.labels,
    }))
    const found = (selector: unknown) =>
      pods.filter(({ labels }) => selects(selector, labels)).map(({ component }) => component)
    for (const { own, component } of pods) expect(found(own)).toEqual([component])
    for (const budget of ofKind(all, 'PodDisruptionBudget'))
      expect(found(budget.spec.selector)).toEqual([budget.metadata.labels['app.kubernetes.io/component']])
    const [http, metrics] = ofKind(all, 'Service')
    expect(found(http!.spec.selector)).toEqual([store === 'embedded' ? 'gateway' : 'api'])
    expect(found(metrics!.spec.selector)).toEqual(pods.map(({ component }) => component))
    expect(found(ofKind(all, 'NetworkPolicy')[0]!.spec.podSelector)).toEqual(pods.map(({ component }) => component))
    expect(ofKind(all, 'PodDisruptionBudget')).toHaveLength(store === 'embedded' ? 0 : 3)
  })

  it('scale existing deployments by metrics that the gateway has, and leave their number alone', () => {
    const all = manifests(VARIANTS['everything on'])
    const documented = readFileSync(join(import.meta.dirname, '../docs/metrics.md'), 'utf8')
    const adapter = readFileSync(join(chart, '../prometheus-adapter.yaml'), 'utf8')
    const scalers = ofKind(all, 'HorizontalPodAutoscaler')
    expect(scalers).toHaveLength(3)
    for (const { spec } of scalers) {
      const target = ofKind(all, 'Deployment').find(
        ({ metadata }) => metadata.name === (spec.scaleTargetRef as { name: string }).name,
      )
      expect(target!.spec.replicas).toBeUndefined()
      for (const [name] of JSON.stringify(spec.metrics).matchAll(/postern_\w+/g)) {
        expect(documented).toContain(`\`${name}\``)
        expect(adapter).toContain(`as: ${name}`)
      }
    }
    expect(JSON.stringify(scalers)).toMatch(
      /postern_sessions.*postern_oldest_due_seconds|postern_oldest_due_seconds.*postern_sessions/,
    )
  })

  it('allow no traffic to private addresses except DNS and the database, and scrape with a token that opens nothing else', () => {
    const all = manifests(VARIANTS['everything on'])
    const egress = ofKind(all, 'NetworkPolicy')[0]!.spec.egress as Array<{ to?: Values[]; ports?: Values[] }>
    expect(egress.filter(({ to }) => to === undefined)).toEqual([])
    const names = egress.filter(({ ports = [] }) => ports.some(({ port }) => port === 53))
    expect(names.map(({ to }) => to)).toEqual([
      [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
          podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
        },
      ],
    ])
    const mail = egress.find(({ ports = [] }) => ports.some(({ port }) => port === 465))
    expect(mail!.to).toEqual([{ ipBlock: { cidr: '10.1.2.5/32' } }])
    const open = egress.flatMap(({ to = [], ports }) => (ports === undefined ? to : []))
    expect(open.map(peer => (peer.ipBlock as { except: string[] }).except.length)).toEqual([5, 2])
    const [monitor] = ofKind(all, 'ServiceMonitor')
    expect((monitor!.spec.endpoints as Values[])[0]!.authorization).toEqual({
      type: 'Bearer',
      credentials: { name: 'postern', key: 'metrics_token' },
    })
    const [ingress] = ofKind(all, 'Ingress')
    expect((ingress!.spec.rules as Values[])[0]!.host).toBe('gateway.example.com')
  })
})
