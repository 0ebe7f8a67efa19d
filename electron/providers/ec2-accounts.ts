import type { EC2Client, Instance } from '@aws-sdk/client-ec2'
import type { AwsAccount } from '../../shared/domain/power.ts'
import { Problem } from '../../shared/errors.ts'
import type { Clock } from '../clock.ts'
import { ec2Problem } from './ec2-problem.ts'

type Sdk = typeof import('@aws-sdk/client-ec2')

export interface AwsKeys {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

export interface Ec2AccountsDeps {
  /** Keys that a person entered, from the keychain. */
  keys: (name: string) => Promise<AwsKeys | undefined>
  clock: Clock
}

/** Machines of an account that are asked about within this time are asked about together. */
const gatherMs = 100
const maxIds = 100
const connectLimitMs = 4000
const answerLimitMs = 10_000
/** Pages may be empty while there are more; these many, or this long, are no longer an answer. */
const maxPages = 50
const discoverLimitMs = 60_000

interface Waiting {
  id: string
  resolve: (instance: Instance) => void
  reject: (problem: Problem) => void
}

/** The way to AWS: one client per account, loaded when first needed, and one question for many machines. */
export class Ec2Accounts {
  readonly #deps: Ec2AccountsDeps
  readonly #clients = new Map<string, Promise<{ sdk: Sdk; client: EC2Client }>>()
  readonly #waiting = new Map<string, { account: AwsAccount; asked: Waiting[] }>()

  constructor(deps: Ec2AccountsDeps) {
    this.#deps = deps
  }

  /** One instance; `not-found` when EC2 does not know it. */
  describe(account: AwsAccount, id: string): Promise<Instance> {
    return new Promise((resolve, reject) => {
      const key = JSON.stringify(account)
      const waiting = this.#waiting.get(key)
      if (waiting !== undefined) return void waiting.asked.push({ id, resolve, reject })
      this.#waiting.set(key, { account, asked: [{ id, resolve, reject }] })
      this.#deps.clock.after(gatherMs, () => void this.#answer(key))
    })
  }

  /** Every instance that carries a tag, for offering them to the person. */
  async discover(account: AwsAccount, tag: { key: string; value: string }): Promise<Instance[]> {
    const filters = [
      tag.value === '' ? { Name: 'tag-key', Values: [tag.key] } : { Name: `tag:${tag.key}`, Values: [tag.value] },
      { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] },
    ]
    const found: Instance[] = []
    const until = this.#deps.clock.now() + discoverLimitMs
    let next: string | undefined
    for (let pages = 1; ; pages++) {
      const page = await this.send(account, 'DescribeInstances', ({ DescribeInstancesCommand }) => {
        return new DescribeInstancesCommand({ Filters: filters, MaxResults: 200, ...(next && { NextToken: next }) })
      })
      found.push(...(page.Reservations ?? []).flatMap((reservation) => reservation.Instances ?? []))
      next = page.NextToken
      if (next === undefined || next === '' || found.length >= 2000) return found
      if (pages === maxPages || this.#deps.clock.now() >= until)
        throw new Problem('bad-answer', 'EC2 sends page after page and no end. Look for a narrower tag.', {
          link: 'aws',
        })
    }
  }

  /** Sends one command; what goes wrong comes back as a problem with a next step. */
  async send<Output extends object>(
    account: AwsAccount,
    doing: string,
    // The SDK's commands are generic over each other in a way that cannot be named without their internals.
    make: (sdk: Sdk) => { resolveMiddleware: unknown; input: object } & { readonly __output?: Output },
  ): Promise<Output & { Reservations?: { Instances?: Instance[] }[]; NextToken?: string }> {
    try {
      const { sdk, client } = await this.#client(account)
      return (await client.send(make(sdk) as never)) as never
    } catch (error) {
      throw ec2Problem(error, doing, account)
    }
  }

  /** Keys were changed: the next call uses the new ones. */
  forget(): void {
    for (const opened of this.#clients.values())
      opened.then(
        ({ client }) => client.destroy(),
        () => {},
      )
    this.#clients.clear()
  }

  async #answer(key: string): Promise<void> {
    const waiting = this.#waiting.get(key)
    this.#waiting.delete(key)
    if (waiting === undefined) return
    const ids = [...new Set(waiting.asked.map(({ id }) => id))]
    for (let start = 0; start < ids.length; start += maxIds) {
      const some = new Set(ids.slice(start, start + maxIds))
      await this.#describeSome(
        waiting.account,
        waiting.asked.filter(({ id }) => some.has(id)),
      )
    }
  }

  /** EC2 refuses the whole question when one id is unknown, and names it: the others are asked for again. */
  async #describeSome(account: AwsAccount, asked: Waiting[]): Promise<void> {
    const ids = [...new Set(asked.map(({ id }) => id))]
    try {
      const answer = await this.send(account, 'DescribeInstances', ({ DescribeInstancesCommand }) => {
        return new DescribeInstancesCommand({ InstanceIds: ids })
      })
      const instances = (answer.Reservations ?? []).flatMap((reservation) => reservation.Instances ?? [])
      for (const { id, resolve, reject } of asked) {
        const instance = instances.find((one) => one.InstanceId === id)
        if (instance !== undefined) resolve(instance)
        // An answer without the instance that was asked for is no proof that it is gone.
        else reject(new Problem('bad-answer', `EC2 answered without saying anything of ${id}.`, { link: 'aws' }))
      }
    } catch (error) {
      const problem = ec2Problem(error, 'DescribeInstances', account)
      if (problem.code !== 'not-found' || ids.length === 1) {
        for (const { reject } of asked) reject(problem)
        return
      }
      const named = asked.filter(({ id }) => problem.message.includes(id))
      for (const { id, reject } of named) reject(goneProblem(id, account))
      const rest = asked.filter((one) => !named.includes(one))
      if (named.length > 0) return rest.length > 0 ? this.#describeSome(account, rest) : undefined
      for (const id of ids)
        await this.#describeSome(
          account,
          rest.filter((one) => one.id === id),
        )
    }
  }

  #client(account: AwsAccount): Promise<{ sdk: Sdk; client: EC2Client }> {
    const key = JSON.stringify(account)
    const known = this.#clients.get(key)
    if (known !== undefined) return known
    const opened = this.#open(account)
    this.#clients.set(key, opened)
    opened.catch(() => this.#clients.delete(key))
    return opened
  }

  async #open(account: AwsAccount): Promise<{ sdk: Sdk; client: EC2Client }> {
    const { credentials, region, endpoint } = account
    const [sdk, provider] = await Promise.all([import('@aws-sdk/client-ec2'), this.#credentials(credentials)])
    const client = new sdk.EC2Client({
      region,
      credentials: provider,
      maxAttempts: 3,
      requestHandler: { connectionTimeout: connectLimitMs, requestTimeout: answerLimitMs },
      ...(endpoint === undefined ? {} : { endpoint }),
    })
    return { sdk, client }
  }

  async #credentials(credentials: AwsAccount['credentials']) {
    if (credentials.kind === 'keys') {
      const keys = await this.#deps.keys(credentials.name)
      if (keys !== undefined) return keys as { accessKeyId: string; secretAccessKey: string }
      throw new Problem(
        'unauthorized',
        `The keys ${credentials.name} are not in the keychain. Enter them in Settings.`,
        { link: 'aws' },
      )
    }
    const { fromIni, fromNodeProviderChain } = await import('@aws-sdk/credential-providers')
    return credentials.kind === 'profile' ? fromIni({ profile: credentials.profile }) : fromNodeProviderChain()
  }
}

function goneProblem(id: string, account: AwsAccount): Problem {
  return new Problem('not-found', `EC2 no longer knows ${id} in ${account.region}. It was ended from outside.`, {
    link: 'aws',
  })
}
