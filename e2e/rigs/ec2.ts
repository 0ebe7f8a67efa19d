import { randomBytes } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export type Ec2State = 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped'

export interface Ec2Instance {
  id: string
  state: Ec2State
  type: string
  privateIp: string
  tags: Record<string, string>
  /** Why it changed its state, as EC2 says it. */
  stateReason?: string
}

/** What the server does instead of answering well. */
export type Ec2Trouble =
  | { kind: 'error'; status: number; code: string; message: string }
  | { kind: 'garbage' }
  | { kind: 'slow'; ms: number }
  | { kind: 'hang' }

export interface Ec2Rig {
  endpoint: string
  instances: Map<string, Ec2Instance>
  /** Every action that was asked for, with its parameters. */
  asked: { action: string; params: URLSearchParams; accessKeyId: string }[]
  /** Applies to the next `times` requests, of one action or of any. */
  trouble(trouble: Ec2Trouble, times?: number, action?: string): void
  add(instance?: Partial<Ec2Instance>): Ec2Instance
  /** Lets what is under way come to its end now. */
  arrive(id: string): void
  stop(): Promise<void>
}

const codes: Record<Ec2State, number> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
}

/**
 * A server that speaks the EC2 Query protocol, with states that take their time to change: `stepMs`, or without it
 * until the test lets them arrive.
 */
export async function startEc2({ stepMs }: { stepMs?: number } = {}): Promise<Ec2Rig> {
  const instances = new Map<string, Ec2Instance>()
  const asked: Ec2Rig['asked'] = []
  const troubles: { trouble: Ec2Trouble; times: number; action: string | undefined }[] = []
  const timers = new Set<NodeJS.Timeout>()

  const later = (ms: number, change: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      change()
    }, ms)
    timers.add(timer)
  }
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const params = new URLSearchParams(Buffer.concat(chunks).toString())
      const action = params.get('Action') ?? ''
      const accessKeyId = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      asked.push({ action, params, accessKeyId })
      const found = troubles.find((one) => one.times > 0 && (one.action === undefined || one.action === action))
      if (found !== undefined) found.times--
      const { trouble } = found ?? {}
      const send = (status: number, body: string): void =>
        void response.writeHead(status, { 'content-type': 'text/xml' }).end(body)
      if (trouble?.kind === 'hang') return
      if (trouble?.kind === 'garbage') return send(200, '<html><body>Welcome to the hotel network</body></html>')
      if (trouble?.kind === 'error') return send(trouble.status, errorXml(trouble.code, trouble.message))
      const answer = () => {
        const result = act(action, params)
        send(result.status, result.body)
      }
      if (trouble?.kind === 'slow') later(trouble.ms, answer)
      else answer()
    })
  })

  function act(action: string, params: URLSearchParams): { status: number; body: string } {
    const ids = [...params].filter(([key]) => /^InstanceId\.\d+$/.test(key)).map(([, value]) => value)
    const missing = ids.filter((id) => !instances.has(id))
    if (missing.length > 0) {
      const words = missing.length === 1 ? `ID '${missing[0]}' does` : `IDs '${missing.join(', ')}' do`
      return { status: 400, body: errorXml('InvalidInstanceID.NotFound', `The instance ${words} not exist`) }
    }
    const chosen = ids.flatMap((id) => instances.get(id) ?? [])
    switch (action) {
      case 'DescribeInstances':
        return { status: 200, body: describeXml(ids.length > 0 ? chosen : filtered([...instances.values()], params)) }
      case 'StartInstances': {
        const wrong = chosen.find(({ state }) => state === 'stopping' || state === 'terminated')
        if (wrong !== undefined)
          return {
            status: 400,
            body: errorXml(
              'IncorrectInstanceState',
              `The instance '${wrong.id}' is not in a state from which it can be started.`,
            ),
          }
        return {
          status: 200,
          body: changeXml(
            action,
            chosen.map((one) => change(one, 'pending', 'running')),
          ),
        }
      }
      case 'StopInstances':
        return {
          status: 200,
          body: changeXml(
            action,
            chosen.map((one) => change(one, 'stopping', 'stopped')),
          ),
        }
      case 'TerminateInstances':
        return {
          status: 200,
          body: changeXml(
            action,
            chosen.map((one) => change(one, 'shutting-down', 'terminated')),
          ),
        }
      case 'RebootInstances':
        return { status: 200, body: wrap(action, '<return>true</return>') }
      default:
        return {
          status: 400,
          body: errorXml('InvalidAction', `The action ${action} is not valid for this web service.`),
        }
    }
  }

  function change(instance: Ec2Instance, now: Ec2State, then: Ec2State): [Ec2Instance, Ec2State] {
    const before = instance.state
    if (before === then || before === now) return [instance, before]
    instance.state = now
    if (stepMs !== undefined) later(stepMs, () => arrive(instance))
    return [instance, before]
  }

  function arrive(instance: Ec2Instance): void {
    if (instance.state === 'pending') instance.state = 'running'
    if (instance.state === 'stopping') instance.state = 'stopped'
    if (instance.state === 'shutting-down') instance.state = 'terminated'
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    instances,
    asked,
    trouble: (trouble, times = 1, action) => void troubles.push({ trouble, times, action }),
    add(given = {}) {
      const id = given.id ?? `i-${randomBytes(8).toString('hex')}0`
      const made = { id, state: 'running', type: 't3.large', privateIp: '127.0.0.1', tags: {}, ...given } as Ec2Instance
      instances.set(id, made)
      return made
    },
    arrive(id) {
      const instance = instances.get(id)
      if (instance !== undefined) arrive(instance)
    },
    async stop() {
      for (const timer of timers) clearTimeout(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function filtered(all: Ec2Instance[], params: URLSearchParams): Ec2Instance[] {
  const filters = [...params].flatMap(([key, name]) => {
    const index = /^Filter\.(\d+)\.Name$/.exec(key)?.[1]
    if (index === undefined) return []
    const values = [...params].filter(([other]) => other.startsWith(`Filter.${index}.Value`)).map(([, value]) => value)
    return [{ name, values }]
  })
  return all.filter((instance) =>
    filters.every(({ name, values }) => {
      if (name === 'instance-state-name') return values.includes(instance.state)
      if (name === 'tag-key') return values.some((key) => key in instance.tags)
      if (name.startsWith('tag:')) return values.includes(instance.tags[name.slice(4)] ?? '\0')
      return false
    }),
  )
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const stateXml = (tag: string, state: Ec2State) => `<${tag}><code>${codes[state]}</code><name>${state}</name></${tag}>`

function wrap(action: string, inside: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId>${inside}</${action}Response>`
}

function errorXml(code: string, message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error></Errors><RequestID>1</RequestID></Response>`
}

function describeXml(instances: Ec2Instance[]): string {
  const items = instances.map(({ id, state, type, privateIp, tags, stateReason }) => {
    const why = stateReason === undefined ? '' : `<stateReason><code>${stateReason}</code></stateReason>`
    const tagSet = Object.entries(tags).map(
      ([key, value]) => `<item><key>${escapeXml(key)}</key><value>${escapeXml(value)}</value></item>`,
    )
    return `<item><reservationId>r-1</reservationId><instancesSet><item><instanceId>${id}</instanceId>${stateXml('instanceState', state)}<instanceType>${type}</instanceType><privateIpAddress>${privateIp}</privateIpAddress>${why}<tagSet>${tagSet.join('')}</tagSet></item></instancesSet></item>`
  })
  return wrap('DescribeInstances', `<reservationSet>${items.join('')}</reservationSet>`)
}

function changeXml(action: string, changed: [Ec2Instance, Ec2State][]): string {
  const items = changed.map(
    ([{ id, state }, before]) =>
      `<item><instanceId>${id}</instanceId>${stateXml('currentState', state)}${stateXml('previousState', before)}</item>`,
  )
  return wrap(action, `<instancesSet>${items.join('')}</instancesSet>`)
}
