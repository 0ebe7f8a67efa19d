import fs from 'node:fs/promises'
import path from 'node:path'
import { environments } from '../../shared/domain/environments.ts'
import type { AwsAccount } from '../../shared/domain/power.ts'
import { Problem } from '../../shared/errors.ts'
import { type DataSizes, licences, type settingsCalls } from '../../shared/ipc-settings.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Deploys } from '../deploys/deploys.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { KeptLogs } from '../logs/kept-logs.ts'
import type { LastPictures } from '../pictures/last-pictures.ts'
import type { AwsKeyKeeper } from '../providers/aws-keys.ts'
import type { Ec2Accounts } from '../providers/ec2-accounts.ts'
import { exportData } from '../store/export-data.ts'
import { allRows, keptData } from '../store/kept-data.ts'
import type { Store } from '../store/store.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'
import { Credentials } from '../vault/credentials.ts'
import type { Vault } from '../vault/vault.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface SettingsHandlerDeps {
  fleet: Fleet
  store: Store
  vault: Pick<Vault, 'list' | 'delete' | 'isForThisRun' | 'get' | 'set' | 'state'>
  awsKeys: AwsKeyKeeper
  ec2: Ec2Accounts
  deploys: Pick<Deploys, 'feeds'>
  tunnels: Tunnels
  keptLogs: KeptLogs
  lastPictures: LastPictures
  /** No window shows a picture of before. */
  picturesCleared: () => void
  clock: Clock
  version: string
  files: { store: string; logs: string; licences: string }
  chooseFile: (suggested: string) => Promise<string | undefined>
  /** Ends this run and begins one that knows nothing. */
  beginAnew: () => Promise<void>
}

/** What is kept, whether it works, what it takes up, and what this console is made of. */
export function settingsHandlers(deps: SettingsHandlerDeps): Pick<IpcHandlers, keyof typeof settingsCalls> {
  const { store, vault, tunnels, keptLogs, lastPictures, files, clock } = deps
  const credentials = new Credentials(credentialDeps(deps))
  const data = keptData(store.connection, files.store)
  const sizes = async (): Promise<DataSizes> => {
    store.metrics.flush()
    store.events.flush()
    keptLogs.flush()
    const { parts, ...rest } = data.sizes()
    const pictures = { part: 'pictures' as const, ...(await lastPictures.size()) }
    const logFiles = { part: 'log-files' as const, ...(await folderSize(files.logs)) }
    return { file: files.store, ...rest, parts: [...parts, pictures, logFiles] }
  }
  return {
    'credentials.list': () => credentials.list(),
    'credentials.test': (which) => {
      tunnels.personActs()
      return credentials.test(which)
    },
    'credentials.remove': async (which) => {
      await credentials.remove(which)
      return {}
    },
    'tunnels.surroundings': () => tunnels.surroundings(),
    'data.sizes': sizes,
    'data.export': async () => {
      const file = await deps.chooseFile('pilothouse-data.json')
      if (file === undefined) return { file: null, bytes: 0 }
      store.metrics.flush()
      store.events.flush()
      keptLogs.flush()
      const about = { version: deps.version, at: isoTime(clock) }
      return { file, bytes: await exportData(file, about, allRows(files.store)) }
    },
    'data.clear': async ({ parts }) => {
      store.metrics.flush()
      store.events.flush()
      if (parts.includes('logs')) keptLogs.forgetAll()
      data.clear(parts)
      if (parts.includes('pictures')) await clearPictures(deps)
      if (parts.includes('log-files')) await emptyFolder(files.logs)
      return sizes()
    },
    'data.clearAll': async () => {
      await lastPictures.clearForGood()
      for (const { machineId, kind } of await vault.list()) await vault.delete(machineId, kind)
      await deps.beginAnew()
      return {}
    },
    'about.licences': async () => {
      try {
        return licences.parse(JSON.parse(await fs.readFile(files.licences, 'utf8')))
      } catch {
        throw new Problem('not-found', 'The list of licences is not in this build. Build the console again.')
      }
    },
  }
}

async function clearPictures({ lastPictures, picturesCleared }: SettingsHandlerDeps): Promise<void> {
  await lastPictures.clear()
  picturesCleared()
}

function credentialDeps(deps: SettingsHandlerDeps) {
  const { fleet, vault, awsKeys, ec2, deploys, tunnels } = deps
  const environmentOf = (id: string) => {
    const found = environments.find((name) => name === id)
    if (found === undefined) throw new Problem('not-found', 'There is no such environment.')
    return found
  }
  const passphrases = async () => {
    const { KeptPassphrases } = await import('../tunnels/ssh/kept-passphrases.ts')
    const wishes = () =>
      [...fleet.machines()].flatMap(({ record: { tunnel } }) => (tunnel.kind === 'ssh' ? [tunnel] : []))
    return new KeptPassphrases({ vault, environment: () => tunnels.ssh.environment(), wishes })
  }
  return {
    ...{ vault, fleet },
    passphrases: {
      fileOf: async (name: string) => (await passphrases()).fileOf(name),
      opens: async (name: string) => (await passphrases()).opens(name),
    },
    testAws: async (name: string) => {
      const account = accountOf(fleet, name)
      await ec2.send(account, 'DescribeInstances', ({ DescribeInstancesCommand }) => {
        return new DescribeInstancesCommand({ MaxResults: 5 })
      })
      return `EC2 in ${account.region} took them.`
    },
    testRegistry: (id: string) => deploys.feeds.testLogin(environmentOf(id)),
    removeAws: async (name: string) => {
      await awsKeys.remove(name)
      ec2.forget()
    },
    pictures: { opens: () => deps.lastPictures.opens(), clear: () => clearPictures(deps) },
    removeRegistry: async (id: string) => void (await deploys.feeds.removeLogin(environmentOf(id))),
  }
}

/** Keys know no region: the first machine that uses them says where they are good for. */
function accountOf(fleet: Fleet, name: string): AwsAccount {
  for (const { record } of fleet.machines()) {
    if (record.provider?.kind !== 'ec2') continue
    const { credentials } = record.provider.account
    if (credentials.kind === 'keys' && credentials.name === name) return record.provider.account
  }
  const region = process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? 'us-east-1'
  return { region, credentials: { kind: 'keys', name } }
}

async function folderSize(folder: string): Promise<{ rows: number; bytes: number }> {
  const names = await fs.readdir(folder).catch(() => [])
  const stats = await Promise.all(names.map((name) => fs.stat(path.join(folder, name)).catch(() => undefined)))
  return { rows: names.length, bytes: stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0) }
}

/** Emptied, not removed: someone is writing to them. */
async function emptyFolder(folder: string): Promise<void> {
  const names = await fs.readdir(folder).catch(() => [])
  await Promise.all(names.map((name) => fs.truncate(path.join(folder, name)).catch(() => {})))
}
