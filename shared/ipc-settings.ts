import { z } from 'zod'

/** The part of the IPC that the settings need: what is kept, whether it works, what it takes up, and what it came with. */

const nothing = z.strictObject({})
const done = z.object({})

export const credentialKinds = ['agent', 'agent-next', 'aws', 'ssh-passphrase', 'registry', 'pictures'] as const

const credential = z.strictObject({
  kind: z.enum(credentialKinds),
  /** Whose it is: a machine, a name for keys, a key's fingerprint, an environment. */
  id: z.string().min(1).max(200),
})

export const keptCredential = credential.extend({
  /** What a person calls it. */
  title: z.string(),
  detail: z.string(),
  since: z.string(),
  where: z.enum(['keychain', 'this-run']),
})
export type KeptCredential = z.infer<typeof keptCredential>

/** `untested`: whoever could tell was not to be reached, which says nothing of the secret. */
export const credentialVerdict = z.object({ verdict: z.enum(['good', 'refused', 'untested']), detail: z.string() })
export type CredentialVerdict = z.infer<typeof credentialVerdict>

export const tunnelSurroundings = z.object({
  configFiles: z.array(z.object({ file: z.string(), found: z.boolean() })),
  hosts: z.int(),
  knownHosts: z.array(z.object({ file: z.string(), found: z.boolean(), entries: z.int() })),
  sshAgent: z.object({ state: z.enum(['answers', 'silent', 'none']), keys: z.int(), detail: z.string() }),
})
export type TunnelSurroundings = z.infer<typeof tunnelSurroundings>

/** What can be cleared by itself. The record of what this console did is not among them: it goes only with everything. */
export const dataParts = [
  'answers',
  'history',
  'logs',
  'pictures',
  'audit-copies',
  'takeovers',
  'deploys',
  'log-files',
] as const
export type DataPart = (typeof dataParts)[number]

export const dataSizes = z.object({
  file: z.string(),
  /** The store with its journal, on the disk. */
  bytes: z.number(),
  /** Of these the record of what this console did, which stays. */
  auditBytes: z.number(),
  machines: z.int(),
  parts: z.array(z.object({ part: z.enum(dataParts), rows: z.int(), bytes: z.number() })),
})
export type DataSizes = z.infer<typeof dataSizes>

export const licence = z.object({
  name: z.string(),
  version: z.string(),
  licence: z.string(),
  /** The place of its text among the texts; many packages share one. */
  text: z.int(),
})
export const licences = z.object({ packages: z.array(licence), texts: z.array(z.string()) })
export type Licences = z.infer<typeof licences>

export const settingsCalls = {
  'credentials.list': { params: nothing, result: z.array(keptCredential) },
  'credentials.test': { params: credential, result: credentialVerdict },
  'credentials.remove': { params: credential, result: done },
  'tunnels.surroundings': { params: nothing, result: tunnelSurroundings },
  'data.sizes': { params: nothing, result: dataSizes },
  /** Asks the person where to; null when they changed their mind. */
  'data.export': { params: nothing, result: z.object({ file: z.string().nullable(), bytes: z.number() }) },
  'data.clear': { params: z.strictObject({ parts: z.array(z.enum(dataParts)).min(1) }), result: dataSizes },
  /** Everything this console keeps, its secrets with it; it then starts anew. Machines lose nothing. */
  'data.clearAll': { params: nothing, result: done },
  'about.licences': { params: nothing, result: licences },
} as const
