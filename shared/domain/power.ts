import { z } from 'zod'

/** What kind of machine it is, how it is switched on and off, and what that costs. Secrets are never here. */

export const powerStates = ['starting', 'running', 'stopping', 'stopped', 'terminated', 'unknown'] as const
export type PowerState = (typeof powerStates)[number]
export const powerActions = ['start', 'stop', 'reboot'] as const
export type PowerAction = (typeof powerActions)[number]

/** How AWS knows who asks: a profile (of any kind, single sign-on too), or keys that stand in the keychain. */
export const awsCredentials = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('default') }),
  z.strictObject({ kind: z.literal('profile'), profile: z.string().trim().min(1).max(100) }),
  z.strictObject({ kind: z.literal('keys'), name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/) }),
])
export const awsAccount = z.strictObject({
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1'),
  credentials: awsCredentials,
  /** Another place than Amazon's own, for a compatible service or a private endpoint. */
  endpoint: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional(),
})
export type AwsAccount = z.infer<typeof awsAccount>

export const providerSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('ec2'),
    instanceId: z.string().regex(/^i-[0-9a-f]{8,17}$/, 'an instance id such as i-0abc123def4567890'),
    account: awsAccount,
  }),
  z.strictObject({
    kind: z.literal('macos'),
    /** For Wake-on-LAN; without it the Mac is taken to be always on. */
    mac: z
      .string()
      .regex(/^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i, 'six pairs of hex digits')
      .optional(),
    broadcast: z.ipv4().optional(),
  }),
  z.strictObject({ kind: z.literal('local_docker') }),
  z.strictObject({ kind: z.literal('ssh_host') }),
])
export type ProviderConfig = z.infer<typeof providerSchema>

export const powerView = z.object({
  state: z.enum(powerStates),
  /** When the provider said so; null when it never did, or has nothing to say. */
  at: z.string().nullable(),
  /** Why the provider could not be asked. */
  problem: z.object({ code: z.string(), detail: z.string() }).nullable(),
  actions: z.array(z.enum(powerActions)),
  instanceType: z.string().nullable(),
  costPerHour: z.object({ usd: z.number(), asOf: z.string() }).nullable(),
})
export type PowerView = z.infer<typeof powerView>

export const autoStopView = z.object({
  enabled: z.boolean(),
  idleMinutes: z.number().int(),
  /** Since when nothing happens on it; null while something does, or while nobody counts. */
  idleSince: z.string().nullable(),
  /** When it will be stopped, once that is within five minutes. */
  stopsAt: z.string().nullable(),
  /** A person asked to keep it up until then. */
  keepUntil: z.string().nullable(),
})
export type AutoStopView = z.infer<typeof autoStopView>

/** What a wake brought back of the sandbox that was gone, and what it could not. */
export const recreatedView = z.object({
  at: z.string(),
  restored: z.array(z.string()),
  notRestored: z.array(z.string()),
})
export type Recreated = z.infer<typeof recreatedView>

/** On-demand prices in dollars per hour, with the day they were true. People edit them. */
export const priceTable = z.strictObject({
  asOf: z.iso.date(),
  usdPerHour: z.record(
    z.string().regex(/^[a-z0-9-]+\.[a-z0-9-]+$/, 'an instance type such as t3.large'),
    z.number().min(0).max(1000),
  ),
})
export type PriceTable = z.infer<typeof priceTable>
